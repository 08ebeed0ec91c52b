from tools.install_packages import locked, steps

SAID = """\
Collecting sqlalchemy==2.1.9 (from sqlalchemy[asyncio]==2.1.9->-r requirements/run.txt (line 3))
  Downloading sqlalchemy-2.1.9-cp311.whl (3.3 MB)
Collecting uvloop==0.23.0 (from -r requirements/run.txt (line 9))
Installing collected packages: sqlalchemy, uvloop
Successfully installed sqlalchemy-2.1.9 uvloop-0.23.0
"""
LOCK = """\
sqlalchemy[asyncio]==2.1.9 \\
    --hash=sha256:0000
uvloop==0.23.0 ; sys_platform != 'win32' \\
    --hash=sha256:1111
"""


def test_what_pip_does_is_told_package_by_package() -> None:
    told = [*steps(SAID.splitlines(keepends=True), locked(LOCK))]
    assert told == ["1 of 2: sqlalchemy", "2 of 2: uvloop", "unpacking 2 packages"]
