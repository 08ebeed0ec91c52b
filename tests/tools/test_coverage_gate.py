from tools.coverage_gate import GUARDED, FileCoverage, find_below_minimum, sum_by_package


def measured(branches: int, covered: int) -> FileCoverage:
    return {"branches": branches, "missing": [1] * (branches - covered)}


def test_coverage_of_a_package_includes_files_in_its_subfolders() -> None:
    shares = sum_by_package({"backend/jobs/a.py": measured(4, 4), "backend/jobs/b/c.py": measured(4, 2)})
    assert shares["backend/jobs"].branch_percentage == 75.0


def test_guarded_package_below_the_minimum_or_unmeasured_is_reported() -> None:
    files = {
        f"{package.removesuffix('.py')}/x.py": measured(20, 19)
        for package in GUARDED
        if package[-3:] != ".py"
    }
    assert find_below_minimum(sum_by_package({**files, "backend/pricing.py": measured(0, 0)})) == []
    files["backend/jobs/y.py"] = measured(1, 0)
    assert find_below_minimum(sum_by_package(files)) == ["backend/pricing.py", "backend/jobs"]
