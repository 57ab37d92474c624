import * as assert from "node:assert/strict";
import { test } from "uvu";
import { FailingStorage } from "../testing/http/failing-storage.test-support.ts";
import { type ServiceUnderTest, type WireRecord, withService } from "../testing/http/service.test-support.ts";

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

test("errors of creation name what is wrong", () =>
	withService(async ({ ask }) => {
		const cases: [unknown, number, RegExp][] = [
			[{ action: "default.nope" }, 404, /default\.nope/],
			[{ action: "default.speak", parameters: { colour: "red" } }, 400, /colour/],
			[{ action: "default.speak", parameters: { lines: 7 } }, 400, /lines/],
			[{ action: "default.speak", parameters: { lines: ["{{ lines }}"] } }, 400, /lines/],
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
			["status=failed,succeeded", "3"],
			["timestamp_gt=-1h", "3"],
			["timestamp_lt=-1h", "0"],
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

test("a list that is asked for as a whole is read and sent a page at a time, and is cut where reading fails", () => {
	const failing = new FailingStorage();
	const run = async ({ ask, storage, log }: ServiceUnderTest) => {
		const traces = Array.from({ length: 250 }, (_, index) => ({
			id: String(index).padStart(24, "0"),
			trace_tag: `walk ${String(index).padStart(3, "0")}`,
			// A few of each moment, so that a page ends between them.
			start_timestamp: `2030-01-01T00:00:00.${String(Math.floor(index / 3)).padStart(6, "0")}Z`,
			traceparent: null,
		}));
		await storage().insert("trace", traces);
		const limits: unknown[] = [];
		const readsTraces = (member: string, [kind]: readonly unknown[]) => member === "find" && kind === "trace";
		failing.failure = (member, values) => {
			if (readsTraces(member, values)) limits.push((values[1] as { readonly limit?: number }).limit);
			return undefined;
		};
		const read = async (query: string) => {
			const response = await ask(`/v1/traces?${query}`);
			return { text: await response.text(), total: response.headers.get("x-total-count"), limit: response.headers.get("x-limit") };
		};
		for (const sort of ["", "&sort_asc=True", "&sort=-trace_tag", "&sort=id&include_attributes=trace_tag"]) {
			const pages = [];
			for (const offset of [0, 100, 200]) pages.push((await read(`limit=100&offset=${offset}${sort}`)).text.slice(1, -1));
			assert.deepEqual(await read(`limit=-1${sort}`), { text: `[${pages.join(",")}]`, total: "250", limit: null }, sort);
		}
		assert.deepEqual([...new Set(limits)], [100]);
		let reads = 0;
		failing.failure = (member, values) => (readsTraces(member, values) && ++reads > 1 ? new Error("planted") : undefined);
		await assert.rejects(read("limit=-1"));
		assert.ok(
			log.some((line) => line.includes("a streamed response was aborted") && line.includes("planted") && line.includes("/v1/traces")),
		);
	};
	return withService(run, { wrap: (plugin) => failing.wrap(plugin) });
});

test("totals of lists are exact up to a limit, and say beyond it that there are more", () =>
	withService(
		async ({ ask }) => {
			for (const name of ["a", "b", "c"]) await ask("/v1/actions", body({ name, runner_type: "speak", pack: "letters" }));
			for (const [query, total, exact] of [
				["name=a&limit=1", "1", null],
				["name=a,b&limit=1", "2", null],
				["name=a,b,c&limit=1", "2", "false"],
				["name=a,b,c", "2", "false"],
				["name=a,b,c&limit=1&offset=2", "2", "false"],
				["name=a,b,c&offset=9", "2", "false"],
			] as const) {
				const { headers } = await ask(`/v1/actions?pack=letters&${query}`);
				assert.deepEqual([headers.get("x-total-count"), headers.get("x-total-count-exact")], [total, exact], query);
			}
		},
		{ api: { exact_total_limit: 2 } },
	));

test("what is chosen of actions and packs is as it is in the whole records", () =>
	withService(async ({ ask }) => {
		const parameters = { word: { type: "string", secret: true, default: "x" }, other: { type: "string", default: "y" } };
		await ask("/v1/actions", body({ name: "a", runner_type: "speak", pack: "letters", parameters }));
		for (const path of ["/v1/actions?pack=letters&", "/v1/actions/views/overview?pack=letters&", "/v1/packs?ref=core&"]) {
			const records = async (query: string) => (await (await ask(`${path}${query}`)).json()) as WireRecord[];
			const [whole = {}] = await records("");
			assert.ok(!JSON.stringify(whole).includes('"x"'), path);
			for (const name of Object.keys(whole)) {
				const [chosen = {}] = await records(`include_attributes=${name}`);
				assert.deepEqual(chosen[name], whole[name], `${path}${name}`);
			}
			const left = path.includes("packs") ? "files" : "parameters";
			const { [left]: _, ...others } = whole;
			assert.deepEqual(await records(`exclude_attributes=${left}`), [others], path);
		}
	}));

test("lists of actions and runner types are paged, and runner types are sorted by their filter names", () =>
	withService(async ({ ask }) => {
		const names = async (path: string) => {
			const response = await ask(path);
			return [((await response.json()) as WireRecord[]).map(({ name }) => name), response.headers.get("x-total-count")];
		};
		for (const name of ["a", "b", "c"]) await ask("/v1/actions", body({ name, runner_type: "speak", pack: "letters" }));
		assert.deepEqual(await names("/v1/actions?pack=letters"), [["a", "b", "c"], "3"]);
		assert.deepEqual(await names("/v1/actions?pack=letters&limit=1&offset=1"), [["b"], "3"]);
		assert.deepEqual(await names("/v1/actions/views/overview?pack=letters&offset=2"), [["c"], "3"]);
		assert.deepEqual(await names("/v1/actions?pack=letters&offset=9"), [[], "3"]);
		const [sorted] = await names("/v1/runnertypes?limit=-1");
		assert.deepEqual((await names("/v1/runnertypes?sort=-name"))[0], (sorted as string[]).toReversed());
		assert.deepEqual((await names("/v1/runnertypes?sort=colour"))[0], sorted);
	}));

test("an expired or unknown token is 401 with the word Unauthorized", () =>
	withService(async ({ ask }) => {
		const response = await ask("/v1/user", { headers: { "x-auth-token": "0".repeat(32) } });
		assert.equal(response.status, 401);
		assert.match(String((await read(response))["faultstring"]), /Unauthorized/);
	}));

test.run();
