"""What the law lets a person do with their data: see it and have it erased (Ley 1581 of 2012)."""
