//! The folders under `results/`.

use crate::args::RunName;
use crate::output::Failure;
use anyhow::{Context, anyhow};
use std::path::{Path, PathBuf};

/// The folder of a run, by path, `latest`, or the shortest unique beginning of its name.
pub(crate) fn find(name: &RunName) -> Result<PathBuf, Failure> {
    find_in(&name.results, &name.run)
}

/// As [`find`].
pub(crate) fn find_in(results: &Path, run: &str) -> Result<PathBuf, Failure> {
    let direct = Path::new(run);
    if direct.join("history").is_dir() {
        return Ok(direct.to_owned());
    }
    let exact = results.join(run);
    if exact.join("history").is_dir() {
        return exact
            .canonicalize()
            .with_context(|| format!("failed to resolve `{}`", exact.display()))
            .map_err(Failure::usage);
    }
    let matches: Vec<String> =
        names(results).into_iter().filter(|name| name.starts_with(run)).collect();
    match matches.as_slice() {
        [one] => Ok(results.join(one)),
        [] => Err(Failure::usage(anyhow!("there is no run `{run}` in `{}`", results.display()))
            .hint("see what there is: onsale list runs")),
        many => Err(Failure::usage(anyhow!("`{run}` could be any of {}", many.join(", ")))
            .hint("write more of its name")),
    }
}

/// Every run, oldest first.
pub(crate) fn names(results: &Path) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(results) else { return vec![] };
    let mut names: Vec<String> = entries
        .flatten()
        .filter(|entry| entry.path().join("history").is_dir() && !entry.path().is_symlink())
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    names.sort();
    names
}

/// Makes the folder of a new run and points `latest` at it.
pub(crate) fn create(results: &Path, name: &str) -> Result<PathBuf, Failure> {
    let folder = results.join(name);
    std::fs::create_dir_all(folder.join("logs"))
        .with_context(|| format!("failed to make the run's folder `{}`", folder.display()))
        .map_err(|error| Failure::usage(error).hint("choose another place with --results DIR"))?;
    let latest = results.join("latest");
    drop(std::fs::remove_file(&latest));
    // A file system without links only loses the short name.
    drop(std::os::unix::fs::symlink(name, &latest));
    Ok(folder)
}
