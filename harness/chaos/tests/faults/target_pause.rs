use super::check;

#[tokio::test]
async fn it_is_felt_and_heals() {
    check("target-pause").await;
}

#[tokio::test]
async fn a_paused_target_that_is_killed_by_another_fault_comes_back_all_the_same() {
    use crate::support::{Stage, eventually};
    use onsale_chaos::{FaultGuard, by_name};
    let stage = Stage::set().await;
    let mut pause =
        FaultGuard::inject(by_name("target-pause").unwrap(), &stage.backend).await.unwrap();
    let mut kill =
        FaultGuard::inject(by_name("target-kill").unwrap(), &stage.backend).await.unwrap();
    pause.heal().unwrap();
    kill.heal().unwrap();
    eventually("the target is back", async || {
        pause.is_restored().await && kill.is_restored().await
    })
    .await;
}
