use super::check;

#[tokio::test]
async fn it_is_felt_and_heals() {
    check("target-kill").await;
}

#[tokio::test]
async fn the_process_is_another_one_afterwards_with_the_same_command() {
    use crate::support::{Stage, eventually};
    let stage = Stage::set().await;
    let before = stage.process.identity().unwrap();
    let fault = onsale_chaos::by_name("target-kill").unwrap();
    let mut guard = onsale_chaos::FaultGuard::inject(fault, &stage.backend).await.unwrap();
    assert!(!before.is_alive());
    assert_eq!(stage.process.identity(), None);
    guard.heal().unwrap();
    eventually("the target is back", async || guard.is_restored().await).await;
    let after = stage.process.identity().unwrap();
    assert_ne!((after.pid, after.started), (before.pid, before.started));
    assert_eq!(after.command, before.command);
}
