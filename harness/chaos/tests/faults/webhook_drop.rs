use super::check;

#[tokio::test]
async fn it_is_felt_and_heals() {
    check("webhook-drop").await;
}

#[tokio::test]
async fn healing_puts_back_its_own_knob_and_no_other() {
    use crate::support::Stage;
    use onsale_chaos::{FaultGuard, by_name};
    let stage = Stage::set().await;
    stage.provider.change(|knobs| knobs.drop = 0.25);
    let drop_all =
        FaultGuard::inject(by_name("webhook-drop").unwrap(), &stage.backend).await.unwrap();
    let double =
        FaultGuard::inject(by_name("webhook-duplicate").unwrap(), &stage.backend).await.unwrap();
    let seen = |knobs: onsale_psp::Knobs| (knobs.drop.to_string(), knobs.duplicate.to_string());
    assert_eq!(seen(stage.provider.knobs()), ("1".into(), "1".into()));
    drop(drop_all);
    assert_eq!(seen(stage.provider.knobs()), ("0.25".into(), "1".into()));
    drop(double);
    assert_eq!(seen(stage.provider.knobs()), ("0.25".into(), "0".into()));
}
