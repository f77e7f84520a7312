use super::world::{Setup, config, event_with};
use onsale_shop::clock::SystemClock;
use onsale_shop::serve::{ServeError, Served, serve};
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;
use tokio::sync::oneshot;

struct Shop {
    served: Served,
    stop: oneshot::Sender<()>,
    client: reqwest::Client,
}

impl Shop {
    async fn start(directory: &Path) -> Self {
        let (stop, stopped) = oneshot::channel();
        let shutdown = async move { drop(stopped.await) };
        let served = serve(config(directory, &Setup::default()), SystemClock::shared(), shutdown)
            .await
            .unwrap();
        Self { served, stop, client: reqwest::Client::new() }
    }
    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.served.addr)
    }
    async fn get(&self, path: &str) -> reqwest::Response {
        self.client.get(self.url(path)).send().await.unwrap()
    }
    async fn stop(self) {
        drop(self.client);
        self.stop.send(()).unwrap();
        tokio::time::timeout(Duration::from_secs(20), self.served.done).await.unwrap().unwrap();
    }
    async fn join(&self, account: &str) -> String {
        let body = json!({ "account": account });
        let answer =
            self.client.post(self.url("/v1/events/e/queue")).json(&body).send().await.unwrap();
        assert_eq!(answer.status(), 202);
        answer.json::<Value>().await.unwrap()["ticket"].as_str().unwrap().to_owned()
    }
    async fn poll(&self, ticket: &str) -> Value {
        let request = self.client.get(self.url("/v1/events/e/queue"));
        request
            .header("cookie", format!("queue_ticket={ticket}"))
            .send()
            .await
            .unwrap()
            .json()
            .await
            .unwrap()
    }
    async fn admitted(&self, ticket: &str) -> Value {
        loop {
            let view = self.poll(ticket).await;
            if view["inWaitingRoom"] == false {
                return view;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_shop_sells_behind_its_waiting_room_and_comes_back_with_what_it_knew() {
    let directory = tempfile::tempdir().unwrap();
    let shop = Shop::start(directory.path()).await;
    assert_eq!(shop.get("/healthz").await.status(), 200);
    assert_eq!(shop.get("/readyz").await.status(), 200);
    let event = event_with(&[("/sale_opens_at_ms", json!(0)), ("/queue_opens_at_ms", json!(0))]);
    let put = shop.client.put(shop.url("/v1/admin/events/e")).bearer_auth("admin").json(&event);
    assert_eq!(put.send().await.unwrap().status(), 204);
    let landing = shop.get("/v1/events/e").await;
    assert!(
        landing.headers().contains_key("date")
            && landing.headers().contains_key("x-server-time-ms")
    );
    assert_eq!(landing.json::<Value>().await.unwrap()["state"], "IN_STOCK");
    let ticket = shop.join("anna").await;
    let token = shop.admitted(&ticket).await["token"].as_str().unwrap().to_owned();
    let hold = |token: Option<&str>| {
        let mut request = shop
            .client
            .post(shop.url("/v1/events/e/holds"))
            .json(&json!({"items": [{"sku": "a", "qty": 2}]}));
        request = request
            .header("cookie", format!("queue_ticket={ticket}"))
            .header("idempotency-key", "k1");
        token.iter().fold(request, reqwest::RequestBuilder::bearer_auth).send()
    };
    assert_eq!(hold(None).await.unwrap().json::<Value>().await.unwrap()["code"], "token-missing");
    let held = hold(Some(&token)).await.unwrap();
    assert_eq!(held.status(), 201);
    let held = held.json::<Value>().await.unwrap();
    let metrics = shop.get("/metrics").await.text().await.unwrap();
    for counter in [
        "onsale_edge_joins_total 1",
        "onsale_edge_admissions_total 1",
        "onsale_holds_granted_total 1",
    ] {
        assert!(metrics.contains(counter), "{counter}: {metrics}");
    }
    assert_eq!(shop.get("/nothing").await.status(), 404);
    let large = shop
        .client
        .post(shop.url("/v1/events/e/queue"))
        .body("x".repeat(100_000))
        .send()
        .await
        .unwrap();
    assert_eq!(large.status(), 413);
    shop.stop().await;

    let shop = Shop::start(directory.path()).await;
    let again = shop.poll(&ticket).await;
    assert_eq!(again["token"], token.as_str(), "the same token after a restart");
    let request =
        shop.client.get(shop.url(&format!("/v1/holds/{}", held["hold_id"].as_str().unwrap())));
    let found = request.header("cookie", format!("queue_ticket={ticket}")).send().await.unwrap();
    assert_eq!(found.json::<Value>().await.unwrap()["status"], "held");
    shop.stop().await;
}

#[tokio::test]
async fn a_taken_address_and_a_bad_directory_are_told_plainly() {
    let directory = tempfile::tempdir().unwrap();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let mut config = config(directory.path(), &Setup::default());
    config.listen = taken.local_addr().unwrap();
    let failed = serve(config.clone(), SystemClock::shared(), std::future::pending()).await;
    let error = failed.err().expect("the address is taken");
    assert!(matches!(error, ServeError::Bind { .. }));
    assert_eq!(error.to_string(), format!("failed to listen on `{}`", config.listen));
    config.listen = "127.0.0.1:0".parse().unwrap();
    config.data = directory.path().join("file");
    std::fs::write(&config.data, "in the way").unwrap();
    let failed = serve(config, SystemClock::shared(), std::future::pending()).await;
    assert!(matches!(failed.err(), Some(ServeError::Data { .. })));
}
