"""What buyers say of the toys they bought."""
