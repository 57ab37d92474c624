import * as assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { gzipSync } from "node:zlib";
import { test } from "uvu";
import { type ServiceUnderTest, type WireRecord, withService } from "../../testing/http/service.test-support.ts";

interface Hooked extends ServiceUnderTest {
	post(url: string, body: string | Uint8Array, headers?: Record<string, string>): Promise<Response>;
	/** Instances that came in over webhooks, oldest first. */
	instances(): Promise<readonly WireRecord[]>;
}

/** A service with rules on these webhooks. */
async function withHooks(hooks: readonly object[], run: (service: Hooked) => Promise<void>): Promise<void> {
	await withService(
		async (service) => {
			const send = (path: string, method: string, body: object) => service.ask(path, { method, body: JSON.stringify(body) });
			for (const [index, parameters] of hooks.entries()) {
				const rule = { name: `hooked_${index}`, enabled: true, trigger: { type: "core.svc.webhook", parameters } };
				const response = await send("/v1/rules", "POST", { ...rule, action: { ref: "default.speak" } });
				assert.equal(response.status, 201, await response.text());
			}
			await run({
				...service,
				post: (url, body, headers = {}) => service.ask(`/v1/webhooks/${url}`, { method: "POST", body, headers }),
				async instances() {
					const list = await service.ask("/v1/triggerinstances?trigger_type=core.svc.webhook&limit=-1");
					return ((await list.json()) as WireRecord[]).reverse();
				},
			});
		},
		{ backend: { durable: true } },
	);
}

const fault = async (response: Response) => String(((await response.json()) as WireRecord)["faultstring"]);

test("a delivery is answered with its body and leads to its trace", () =>
	withHooks([{ url: "/monitor/disk/" }], async ({ post, ask, instances }) => {
		const response = await post("monitor/disk", '{"level": "critical"}', { "Svc-Trace-Tag": "ticket", "x-github-EVENT": "push" });
		assert.equal(response.status, 202);
		assert.deepEqual(await response.json(), { level: "critical" });
		const [instance] = await instances();
		assert.equal(response.headers.get("svc-trigger-instance-id"), instance?.["id"]);
		const payload = instance?.["payload"] as { headers: WireRecord; body: unknown };
		assert.deepEqual(payload.body, { level: "critical" });
		assert.equal(payload.headers["X-Github-Event"], "push");
		assert.ok(!("X-Auth-Token" in payload.headers || "Svc-Trace-Tag" in payload.headers));
		const trace = (await (await ask(`/v1/traces/${response.headers.get("svc-trace-id")}`)).json()) as WireRecord;
		assert.equal(trace["trace_tag"], "ticket");
	}));

test("the query of a delivery is for criteria and templates, without credentials, and a replay has it too", () =>
	withHooks([{ url: "a", ledger: true }], async ({ ask, urls, token, instances }) => {
		const headers = { "content-type": "application/json" };
		const post = (query: string) => fetch(`${urls.api}/v1/webhooks/a${query}`, { method: "POST", body: "{}", headers });
		const { key } = (await (await ask("/v1/apikeys", { method: "POST", body: "{}" })).json()) as { readonly key: string };
		assert.equal((await post(`?svc-api-key=${encodeURIComponent(key)}&team=ops&tag=a&tag=b&e=&__proto__=x&q=%C3%A9+1`)).status, 202);
		assert.equal((await post(`?x-auth-token=${token}&X-AUTH-TOKEN=other`)).status, 202);
		assert.equal((await ask("/v1/webhooks/a", { method: "POST", body: "{}" })).status, 202);
		const queries = (await instances()).map(({ payload }) => (payload as WireRecord)["query"] as object);
		const expected = JSON.parse('{ "team": "ops", "tag": ["a", "b"], "e": "", "__proto__": "x", "q": "é 1" }');
		assert.deepEqual(queries, [expected, {}, {}]);
		const deliveries = (await (await ask("/v1/webhook_deliveries")).json()) as readonly WireRecord[];
		assert.ok(
			deliveries.every((delivery) => !("query" in delivery)),
			"lists leave it out, as they do bodies",
		);
		const first = String(deliveries.at(-1)?.["id"]);
		assert.deepEqual(((await (await ask(`/v1/webhook_deliveries/${first}`)).json()) as WireRecord)["query"], expected);
		assert.equal((await ask(`/v1/webhook_deliveries/${first}/replay`, { method: "POST" })).status, 202);
		const [replayed] = (await instances()).toReversed();
		assert.deepEqual((replayed?.["payload"] as WireRecord | undefined)?.["query"], expected);
	}));

test("a challenge that the rule names is answered as plain text, and starts nothing", () =>
	withHooks(
		[
			{ url: "meta", challenge: { query: "hub.challenge" } },
			{ url: "okta", challenge: { header: "X-Okta-Challenge", answer_json: "verification" } },
		],
		async (service) => {
			const { ask, post, instances } = service;
			const html = await ask("/v1/webhooks/meta?hub.mode=subscribe&hub.challenge=%3Cscript%3Ealert(1)%3C/script%3E");
			assert.deepEqual([html.status, await html.text()], [200, "<script>alert(1)</script>"]);
			assert.equal(html.headers.get("content-type"), "text/plain; charset=utf-8");
			assert.equal(html.headers.get("x-content-type-options"), "nosniff");
			assert.match(html.headers.get("content-security-policy") ?? "", /sandbox/);
			assert.deepEqual([html.headers.get("cache-control"), html.headers.get("svc-warning")], ["no-store", null]);
			const okta = await ask("/v1/webhooks/okta", { headers: { "x-okta-challenge": "abc" } });
			assert.deepEqual(await okta.json(), { verification: "abc" });
			// Microsoft Graph posts without a body.
			const graph = await post("meta?hub.challenge=a+b", "");
			assert.deepEqual([graph.status, await graph.text()], [200, "a b"]);
			for (const value of ["", "x".repeat(1_025), "a%0Ab", "%C3%A9", "a&hub.challenge=b"])
				assert.equal((await ask(`/v1/webhooks/meta?hub.challenge=${value}`)).status, 400, value);
			assert.deepEqual(await instances(), []);
			assert.equal((await post("meta?hub.challenge=a", "{}")).status, 202, "a request with a body is a delivery");
			assert.equal((await instances()).length, 1);
			// Without a challenge the record of the webhook is answered as before.
			const record = (await (await ask("/v1/webhooks/meta?other=1")).json()) as WireRecord;
			assert.equal(record["type"], "core.svc.webhook");
		},
	));

test("a challenge in a signed body is answered only if the signature is good", () =>
	withHooks(
		[{ url: "slack", challenge: { body: "challenge" }, signature: { scheme: "hmac", secret_keys: ["hook"] } }],
		async ({ ask, post, instances }) => {
			await ask("/v1/keys/hook", { method: "PUT", body: JSON.stringify({ value: "a-long-secret" }) });
			const body = JSON.stringify({ type: "url_verification", challenge: "3eZbrw1a" });
			const signature = createHmac("sha256", "a-long-secret").update(body).digest("hex");
			const good = await post("slack", body, { "x-signature": signature });
			assert.deepEqual([good.status, await good.text()], [200, "3eZbrw1a"]);
			assert.equal((await post("slack", body, { "x-signature": "0".repeat(64) })).status, 403);
			assert.equal((await post("slack", body)).status, 403);
			assert.deepEqual(await instances(), []);
		},
	));

test("a challenge names one place, and that is none of a credential", () =>
	withHooks([{ url: "a", challenge: { header: "Authorization" } }], async ({ ask }) => {
		const rule = (challenge: object) => ({
			name: "r",
			trigger: { type: "core.svc.webhook", parameters: { url: "b", challenge } },
			action: { ref: "default.speak" },
		});
		for (const challenge of [{}, { query: "a", header: "b" }, { query: "" }, { query: "a".repeat(101) }, { path: "a" }])
			assert.equal(
				(await ask("/v1/rules", { method: "POST", body: JSON.stringify(rule(challenge)) })).status,
				400,
				JSON.stringify(challenge),
			);
		const response = await ask("/v1/webhooks/a", { headers: { authorization: "Bearer x" } });
		assert.equal(((await response.json()) as WireRecord)["type"], "core.svc.webhook");
	}));

test("HEAD says whether a webhook exists, and dispatches nothing", () =>
	withHooks([{ url: "a/b" }], async ({ ask, instances }) => {
		const found = await ask("/v1/webhooks/a/b?x=1", { method: "HEAD" });
		assert.deepEqual([found.status, await found.text(), found.headers.get("svc-warning")], [200, "", null]);
		assert.equal((await ask("/v1/webhooks/none", { method: "HEAD" })).status, 404);
		assert.deepEqual(await instances(), []);
	}));

test("texts of headers are UTF-8, or else latin-1", () =>
	withHooks([{ url: "a" }], async ({ post, ask, instances }) => {
		const utf8 = Buffer.from("Prüfung – 1").toString("latin1");
		const latin1 = Buffer.from("Prüfung", "latin1").toString("latin1");
		const response = await post("a", "{}", { "Svc-Trace-Tag": utf8, "x-utf8": utf8, "x-latin1": latin1, "x-ascii": "a=b;c" });
		assert.equal(response.status, 202);
		const [instance] = await instances();
		const payload = instance?.["payload"] as { headers_lower: WireRecord } | undefined;
		const headers = payload?.headers_lower ?? {};
		assert.deepEqual([headers["x-utf8"], headers["x-latin1"], headers["x-ascii"]], ["Prüfung – 1", "Prüfung", "a=b;c"]);
		const trace = (await (await ask(`/v1/traces/${response.headers.get("svc-trace-id")}`)).json()) as WireRecord;
		assert.equal(trace["trace_tag"], "Prüfung – 1");
	}));

test("bodies are JSON or a form, whose fields are texts, or lists where they repeat", () =>
	withHooks([{ url: "a" }], async ({ post, instances }) => {
		const form = { "content-type": "application/x-www-form-urlencoded; charset=utf-8" };
		assert.equal((await post("a", "level=critical&host=b&host=c+d&k=%C3%A9", form)).status, 202);
		assert.equal((await post("a", "[1, 2]")).status, 202);
		assert.equal((await post("a", "")).status, 202);
		assert.deepEqual(
			(await instances()).map(({ payload }) => (payload as WireRecord)["body"]),
			[{ level: "critical", host: ["b", "c d"], k: "é" }, [1, 2], {}],
		);
		for (const [body, type] of [
			["{", "application/json"],
			["5", "application/json"],
			["<a/>", "application/xml"],
			["a", "text/plain"],
			["a", "multipart/form-data; boundary=x"],
		] as const) {
			const response = await post("a", body, { "content-type": type });
			assert.equal(response.status, 400, type);
			assert.match(await fault(response), /body/);
		}
		assert.equal((await instances()).length, 3);
	}));

test("what is signed are the decoded bytes, whatever their charset", () =>
	withHooks([{ url: "a", signature: { scheme: "hmac", secret_keys: ["old", "new"] } }], async ({ post, ask, instances }) => {
		await ask("/v1/keys/new", { method: "PUT", body: JSON.stringify({ name: "new", value: "a longer pin", secret: true }) });
		const sign = (body: string | Uint8Array) => ({ "x-signature": createHmac("sha256", "a longer pin").update(body).digest("hex") });
		const bytes = Buffer.concat([Buffer.from('{"a" :\t"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}\n')]);
		assert.equal((await post("a", bytes, { ...sign(bytes), "content-type": "application/json; charset=iso-8859-1" })).status, 202);
		// Senders sign what they write, and their HTTP client compresses it.
		const packed = await post("a", gzipSync('{"a":\t1}'), { ...sign('{"a":\t1}'), "content-encoding": "gzip" });
		assert.equal(packed.status, 202);
		assert.equal((await post("a", '{"é": 1}', sign('{"é": 1}'))).status, 202);
		const changed = await post("a", '{"a": 1}', sign('{"a":1}'));
		assert.equal(changed.status, 403);
		assert.match(await fault(changed), /^webhook "a": the signature does not match/);
		assert.equal((await post("a", "{}")).status, 403);
		assert.equal((await instances()).length, 3);
	}));

test("a url that no request can reach is refused at the rule and the trigger, others are reached", () =>
	withHooks([], async ({ ask }) => {
		const create = (url: string) => {
			const rule = {
				name: "hooked",
				enabled: true,
				trigger: { type: "core.svc.webhook", parameters: { url } },
				action: { ref: "default.speak" },
			};
			return ask("/v1/rules", { method: "POST", body: JSON.stringify(rule) });
		};
		for (const url of ["a//b", "https://host/v1/webhooks/a", "a/./b", "a/../b", "..", "svc", "/svc/", "\ud800", "é".repeat(2_000)]) {
			const refused = await create(url);
			assert.equal(refused.status, 400, url);
			assert.match(await fault(refused), /^trigger\.parameters\.url: /, url);
		}
		const body = JSON.stringify({ name: "t", type: "core.svc.webhook", parameters: { url: "a//b" } });
		assert.equal((await ask("/v1/triggers", { method: "POST", body })).status, 400);
		for (const url of ["svc/a", "..a/b...", "a?b#c", "a%2Fb", "a b;c", "a\\b", "é", ":x/**", "é".repeat(1_000)]) {
			assert.equal((await create(url)).status, 201, url);
			const path = url.split("/").map(encodeURIComponent).join("/");
			assert.equal((await ask(`/v1/webhooks/${path}`, { method: "POST", body: "{}" })).status, 202, url);
			await ask("/v1/rules/default.hooked", { method: "DELETE" });
		}
	}));

test("of 200 parallel posts of one delivery id, one becomes a trigger instance and all are told its id", () =>
	withHooks([{ url: "a", deduplicate: {} }], async ({ post, instances }) => {
		const posts = Array.from({ length: 200 }, () => post("a", '{"n": 1}', { "idempotency-key": "7" }));
		const ids = new Set<string | null>();
		for (const response of await Promise.all(posts)) {
			assert.equal(response.status, 202);
			ids.add(response.headers.get("svc-trigger-instance-id"));
			await response.text();
		}
		const stored = await instances();
		assert.deepEqual(
			[...ids],
			stored.map(({ id }) => id),
		);
		assert.equal(stored.length, 1);
	}));

test("deliveries are listed without their bodies, shown whole and replayed", () =>
	withHooks([{ url: "a/b", ledger: true }], async ({ post, ask, instances }) => {
		for (const n of [1, 2, 3]) await post("a/b", JSON.stringify({ n }));
		const list = await ask("/v1/webhook_deliveries?url=a/b&limit=2");
		assert.equal(list.headers.get("x-total-count"), "3");
		const [newest] = (await list.json()) as WireRecord[];
		assert.ok(!("body" in (newest ?? {}) || "headers" in (newest ?? {})));
		const one = await ask(`/v1/webhook_deliveries?trigger_instance=${newest?.["trigger_instance_id"]}`);
		assert.deepEqual(
			((await one.json()) as WireRecord[]).map(({ id }) => id),
			[newest?.["id"]],
		);
		const whole = (await (await ask(`/v1/webhook_deliveries/${newest?.["id"]}`)).json()) as WireRecord;
		assert.deepEqual(whole["body"], { n: 3 });
		const replayed = await ask(`/v1/webhook_deliveries/${newest?.["id"]}/replay`, { method: "POST" });
		assert.equal(replayed.status, 202);
		assert.equal(((await replayed.json()) as WireRecord)["verdict"], "replayed");
		assert.deepEqual((await instances()).map(({ payload }) => (payload as { body: unknown }).body).at(-1), { n: 3 });
		assert.equal((await ask("/v1/webhook_deliveries/nothing")).status, 404);
	}));

test("a rule whose webhook parameters are wrong is refused with what is allowed", () =>
	withHooks([], async ({ ask }) => {
		for (const [parameters, problem] of [
			[{}, /url/],
			[{ url: "/" }, /url/],
			[{ url: "a", signature: { scheme: "rot13", secret_keys: ["k"] } }, /scheme.*"standard", "github"/],
			[{ url: "a", signature: { scheme: "github", secret_keys: [] } }, /secret_keys/],
			[{ url: "a", signature: { scheme: "github" } }, /secret_keys/],
			[{ url: "a", deduplicate: { window: 0 } }, /window/],
			[{ url: "a", colour: "red" }, /colour/],
		] as const) {
			const rule = { name: "wrong", trigger: { type: "core.svc.webhook", parameters }, action: { ref: "default.speak" } };
			const response = await ask("/v1/rules", { method: "POST", body: JSON.stringify(rule) });
			assert.equal(response.status, 400, JSON.stringify(parameters));
			assert.match(await fault(response), problem);
		}
	}));

test("a webhook comes and goes with its rules", () =>
	withHooks([{ url: "a" }], async ({ post, ask }) => {
		const [hook] = (await (await ask("/v1/webhooks")).json()) as WireRecord[];
		assert.deepEqual([hook?.["parameters"], hook?.["type"]], [{ url: "a" }, "core.svc.webhook"]);
		assert.equal((await ask("/v1/webhooks/a")).status, 200);
		assert.equal((await ask("/v1/rules/default.hooked_0", { method: "DELETE" })).status, 204);
		const gone = await post("a", "{}");
		assert.equal(gone.status, 404);
		assert.match(await fault(gone), /webhook "a" is not registered/);
		assert.deepEqual(await (await ask("/v1/webhooks")).json(), []);
	}));

test.run();
