//! `onsale run`: load, break, check, report.

use super::Ending;
use crate::args::Run;
use crate::output;
use crate::road::phases::Player;
use crate::road::stage::{Plans, Stage};
use crate::road::{self, judge, signals};
use onsale_report::exit::ExitCode;

/// The whole road.
pub(crate) fn run(options: &Run) -> Ending {
    let plans = Plans::read(options)?;
    output::tell(&format!("seed {}\n", plans.seed));
    road::runtime()?.block_on(play(options, plans))
}

async fn play(options: &Run, plans: Plans) -> Ending {
    let told = signals::watch();
    let stage = Stage::set(options, plans).await?;
    let mut played = Player::new(&stage, told.clone()).play().await?;
    let interrupted = *told.borrow();
    if let Some(provider) = &stage.backend.provider
        && let Err(error) = provider.intact()
    {
        tracing::error!("{error}");
    }
    // An interrupted or broken record stays unsealed: it proves nothing, but may still convict.
    if interrupted.is_none()
        && played.record_failure.is_none()
        && let Err(error) = stage.recording.seal()
    {
        played.record_failure = Some(road::phases::chain(&error));
    }
    judge::write_facts(&stage, &played, interrupted)?;
    finish(&stage)
}

fn finish(stage: &Stage) -> Ending {
    let judged = judge::judge(&stage.folder)?;
    let summary = judged.summary();
    judge::write(&stage.folder, &judged, &summary)?;
    output::data(&onsale_report::text(&summary));
    let code: ExitCode = summary.exit();
    Ok(code)
}
