import * as assert from "node:assert/strict";
import { test } from "uvu";
import { routes } from "./routes/index.ts";
import { type ServiceUnderTest, type WireRecord, withService } from "./service.test-support.ts";

const secret = "correct-horse-battery";
const read = async (response: Response) => (await response.json()) as WireRecord;
const body = (value: unknown): RequestInit => ({ method: "POST", body: JSON.stringify(value) });

test("an execution is created, followed to its end and read back", () =>
	withService(async ({ ask, speak, ended }) => {
		const id = await speak({ lines: ["one", "two"] });
		const frames = (await ended(id)).split("\n\n").filter((frame) => frame.startsWith("id: "));
		assert.deepEqual(
			frames.map((frame) => (JSON.parse(frame.split("data: ")[1] ?? "") as { data: string }).data),
			["one\n", "two\n"],
		);
		assert.equal(await (await ask("/v1/executions/last/output")).text(), "one\ntwo\n");
		const record = await read(await ask(`/v1/executions/${id}`));
		assert.equal(record["status"], "succeeded");
		assert.deepEqual(record["result"], { spoken: 2 });
	}));

test("no route, stream, error or log line lets a secret out, nested ones included", () =>
	withService(async (service) => {
		const { ask, speak, ended, urls, token, log } = service;
		const controller = new AbortController();
		const events = await fetch(`${urls.stream}/v1/stream?events=*`, { headers: { "x-auth-token": token }, signal: controller.signal });
		const seen = collect(events, controller);
		const parameters = { pin: secret, options: { pin: secret }, lines: ["said"] };
		const finished = await speak(parameters);
		await ended(finished);
		const waiting = await speak({ ...parameters, wait: true });
		const texts: string[] = [];
		for (const route of routes) {
			if (route.path === "/stream") continue;
			for (const id of [finished, waiting]) texts.push(await (await askRoute(service, route, id)).text());
		}
		for (const wrong of [
			{ ...parameters, unknown: 1 },
			{ ...parameters, lines: 7 },
			{ ...parameters, options: { pin: [secret] }, lines: "x" },
		]) {
			texts.push(await (await ask("/v1/executions", body({ action: "default.speak", parameters: wrong }))).text());
		}
		await ask(`/v1/executions/${waiting}`, { method: "DELETE" });
		await ended(waiting);
		texts.push(await seen(waiting));
		assert.ok(texts.some((text) => text.includes("********")));
		for (const text of [...texts, ...log]) assert.ok(!text.includes(secret), text.slice(0, 400));
	}));

/** Reads the general stream in the background; the returned function waits until an execution has ended there. */
function collect(response: Response, controller: AbortController): (id: string) => Promise<string> {
	let text = "";
	const reader = (response.body as ReadableStream<Uint8Array>).getReader();
	return async (id) => {
		while (!new RegExp(`svc.execution__update\\ndata: {"id":"${id}","status":"canceled"`).test(text)) {
			const { done, value } = await reader.read();
			assert.ok(!done, text);
			text += Buffer.from(value).toString("utf8");
		}
		controller.abort();
		return text;
	};
}

function askRoute({ ask }: ServiceUnderTest, { method, path, component }: (typeof routes)[number], id: string): Promise<Response> {
	const prefix = { auth: "/auth/v1", api: "/v1", stream: "/stream/v1" }[component];
	const ref = path.startsWith("/executions") ? "result" : "default.speak";
	const url = `${prefix}${path.replace(":id", id).replace(":name", ref).replace(":ref", ref)}`;
	// Streams of runs that go on would not end, and what removes the action would spoil the rest.
	if (component === "stream" || (method === "DELETE" && path.startsWith("/actions"))) return ask("/v1/user");
	const values = { action: "default.speak", name: "speak", runner_type: "speak", status: "pausing", token: "x" };
	return ask(url, method === "GET" || method === "DELETE" ? { method } : { method, body: JSON.stringify(values) });
}

const hostile: [string, RequestInit][] = [
	["not JSON", { body: "{nonsense" }],
	["an array", { body: "[1,2]" }],
	["a text", { body: '"x"' }],
	["null", { body: "null" }],
	["deep arrays", { body: "[".repeat(10_000) + "]".repeat(10_000) }],
	["deep objects", { body: `${'{"action":'.repeat(10_000)}1${"}".repeat(10_000)}` }],
	["ten megabytes", { body: JSON.stringify({ action: "x".repeat(10_000_000) }) }],
	["prototype keys", { body: '{"__proto__":{"action":"a"},"constructor":{"prototype":{}}}' }],
	[
		"wrong types",
		{
			body: '{"action":{},"parameters":[],"status":1,"ttl":"x","token":[],"enabled":"1","name":{},"dest_pack":7,"tasks":"a","remove_files":3}',
		},
	],
	["an unknown content type", { body: "x", headers: { "content-type": "application/xml" } }],
	["broken form data", { body: "a=%zz&=&&__proto__=1", headers: { "content-type": "application/x-www-form-urlencoded" } }],
];
const hostileIds = [
	"x",
	"__proto__",
	"constructor",
	"%00",
	"..%2F..%2Fetc%2Fpasswd",
	"'%20OR%201=1--",
	"%F0%9F%92%A9",
	"a".repeat(5_000),
	"{{7*7}}",
];
const hostileQueries = [
	"limit=-5",
	"offset=99999999999999999999",
	"sort=__proto__",
	"include_attributes=__proto__",
	"filter=__proto__:x",
	"id='",
	"%ff=%zz",
];

test("bad input to every route is answered below 500, and the service goes on", () =>
	withService(async (service) => {
		const { ask, urls, log } = service;
		const check = async (label: string, response: Promise<Response>, isRefused: boolean) => {
			const { status, body: stream } = await response;
			await stream?.cancel();
			assert.ok(status < 500, `${label}: ${status}`);
			if (isRefused) assert.ok(status >= 400, `${label}: ${status}`);
		};
		for (const { method, path, component, body: schema } of routes) {
			const prefix = { auth: "/auth/v1", api: "/v1", stream: "/stream/v1" }[component];
			const url = (id: string) => prefix + path.replace(/:\w+/g, id);
			for (const [name, init] of schema === undefined ? [] : hostile) {
				await check(`${method} ${path} ${name}`, ask(url("x"), { ...init, method }), true);
			}
			for (const id of path.includes(":") ? hostileIds : []) await check(`${method} ${path} ${id}`, ask(url(id), { method }), true);
			for (const query of hostileQueries) await check(`${method} ${path}?${query}`, ask(`${url("x")}?${query}`, { method }), false);
		}
		assert.equal((await fetch(`${urls.api}/v1/user%`)).status, 400);
		assert.equal((await ask("/v1/user")).status, 200);
		assert.deepEqual(
			log.filter((line) => line.includes('"request failed"')),
			[],
		);
	}));

test("errors of creation name what is wrong", () =>
	withService(async ({ ask }) => {
		const cases: [unknown, number, RegExp][] = [
			[{ action: "default.nope" }, 404, /default\.nope/],
			[{ action: "default.speak", parameters: { colour: "red" } }, 400, /colour/],
			[{ action: "default.speak", parameters: { lines: 7 } }, 400, /lines/],
			[{ action: "default.speak", parameters: { lines: ["{{ nothing }}"] } }, 400, /nothing/],
			[{ action: "default.speak", parameters: { pin: "{{ ''.constructor }}" } }, 400, /pin/],
			[{ action: "default.speak", context: { trace_context: { id_: "66a1f0c29d3e4b7a51c08d12" } } }, 400, /trace/],
		];
		for (const [value, status, message] of cases) {
			const response = await ask("/v1/executions", body(value));
			assert.equal(response.status, status, JSON.stringify(value));
			assert.match(String((await read(response))["faultstring"]), message);
		}
	}));

test("changes of status follow the table", () =>
	withService(async ({ ask, speak, ended }) => {
		assert.equal((await ask("/v1/executions/last")).status, 400);
		const id = await speak({ wait: true, lines: ["x"] });
		const change = (status: string) => ask(`/v1/executions/${id}`, { method: "PUT", body: JSON.stringify({ status }) });
		assert.equal((await change("pausing")).status, 400);
		assert.equal((await change("canceled")).status, 200);
		await ended(id);
		assert.equal((await read(await ask(`/v1/executions/${id}`)))["status"], "canceled");
		assert.equal((await change("canceling")).status, 400);
		const done = await speak({});
		await ended(done);
		const late = await ask(`/v1/executions/${done}`, { method: "DELETE" });
		assert.equal(late.status, 200);
		assert.ok("faultstring" in (await read(late)));
		assert.equal((await ask(`/v1/executions/${done}/re_run`, body({ tasks: ["a"], parameters: { lines: [] } }))).status, 400);
	}));

test("lists are filtered, counted and selected by the store", () =>
	withService(async ({ ask, speak, ended }) => {
		for (const line of ["a", "b", "c"]) await ended(await speak({ lines: [line] }));
		const list = async (query: string) => {
			const response = await ask(`/v1/executions?${query}`);
			assert.equal(response.status, 200, query);
			return {
				items: (await response.json()) as WireRecord[],
				total: response.headers.get("x-total-count"),
				limit: response.headers.get("x-limit"),
			};
		};
		const first = await list("limit=1");
		assert.deepEqual([first.items.length, first.total, first.limit], [1, "3", "1"]);
		for (const [query, total] of [
			["parent=null", "3"],
			["status=succeeded", "3"],
			["status=failed", "0"],
			["status=", "3"],
			["action=default.speak&user=admin&runner=speak", "3"],
			["user=nobody", "0"],
			["timestamp=2020-01-01T00:00:00Z..2090-01-01T00:00:00Z", "3"],
			["timestamp_lt=2020-01-01T00:00:00Z", "0"],
			["filter=action.ref:default.speak%20status:failed", "0"],
			["status=failed&filter=status:succeeded", "0"],
		] as const) {
			assert.equal((await list(query)).total, total, query);
		}
		const { items } = await list("include_attributes=status&sort_asc=True&limit=-1");
		assert.deepEqual(Object.keys(items[0] ?? {}), ["id", "status"]);
		const ids = items.map(({ id }) => String(id));
		assert.deepEqual([...ids].sort(), ids);
	}));

test("an expired or unknown token is 401 with the word Unauthorized", () =>
	withService(async ({ ask }) => {
		const response = await ask("/v1/user", { headers: { "x-auth-token": "0".repeat(32) } });
		assert.equal(response.status, 401);
		assert.match(String((await read(response))["faultstring"]), /Unauthorized/);
	}));

test.run();
