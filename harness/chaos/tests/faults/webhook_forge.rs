use super::check;

#[tokio::test]
async fn it_is_felt_and_heals() {
    check("webhook-forge").await;
}
