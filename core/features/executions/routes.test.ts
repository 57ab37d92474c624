import * as assert from "node:assert/strict";
import { test } from "uvu";
import { createExecution, firstId } from "../../testing/http/fake-engine.test-support.ts";
import { faultOf, post, withHttp } from "../../testing/http/http.test-support.ts";

type WireRecord = Record<string, unknown>;

const read = async (response: Response) => (await response.json()) as WireRecord;
const list = async (response: Response) => (await response.json()) as WireRecord[];

test("a created execution is 201, its members in order, empty ones left out, secrets masked", () =>
	withHttp(async ({ ask, urls }) => {
		const response = await ask("/v1/executions", post({ action: "core.local", parameters: { cmd: "uptime", pin: "hunter2" } }));
		assert.equal(response.status, 201);
		const text = await response.text();
		assert.ok(!text.includes("hunter2") && !text.includes("default-secret"), text);
		const record = JSON.parse(text) as WireRecord;
		assert.deepEqual(Object.keys(record), [
			"id",
			"status",
			"start_timestamp",
			"log",
			"parameters",
			"context",
			"action",
			"runner",
			"liveaction",
			"web_url",
		]);
		assert.deepEqual(record["parameters"], { cmd: "uptime", pin: "********" });
		assert.deepEqual(record["liveaction"], {
			id: "66a1f0c29d3e4b7a51c08d11",
			action: "core.local",
			action_is_workflow: false,
			parameters: { cmd: "uptime", pin: "********" },
			callback: {},
			runner_info: {},
		});
		assert.equal(record["web_url"], `${urls.api}/#/history/${firstId}/general`);
		assert.equal((record["action"] as WireRecord)["uid"], "action:core:local");
		assert.equal((record["runner"] as WireRecord)["uid"], "runner_type:local-shell-cmd");
	}));

test("show_secrets shows them to administrators and is ignored for others", () =>
	withHttp(async ({ ask, fake }) => {
		fake.stored.push(createExecution());
		const pin = async () => ((await read(await ask(`/v1/executions/${firstId}?show_secrets=True`)))["parameters"] as WireRecord)["pin"];
		assert.equal(await pin(), "hunter2");
		fake.isAdmin = false;
		assert.equal(await pin(), "********");
	}));

test("no execution route lets a secret out", () =>
	withHttp(async ({ ask, fake, http }) => {
		fake.stored.push(createExecution({ status: "succeeded" }));
		for (const { method, path, component } of http.routes) {
			if (component !== "api" || !path.startsWith("/executions")) continue;
			const body = { action: "core.local", status: "canceled", parameters: {} };
			const init =
				method === "GET" || method === "DELETE"
					? { method }
					: { ...post(path === "/executions/:id" ? { status: "canceled" } : body), method };
			const response = await ask(`/v1${path.replace(":id", firstId).replace(":name", "status")}`, init);
			assert.ok(response.status < 300, `${method} ${path}: ${response.status}`);
			const text = await response.text();
			assert.ok(!text.includes("hunter2") && !text.includes("default-secret"), `${method} ${path}`);
		}
	}));

test("lists are paged and counted", () =>
	withHttp(async ({ ask, fake }) => {
		for (const digit of [1, 2, 3]) fake.stored.push(createExecution({ id: firstId.slice(0, -1) + digit }));
		const one = await ask("/v1/executions?limit=1&offset=1");
		assert.deepEqual([one.headers.get("x-total-count"), one.headers.get("x-limit")], ["3", "1"]);
		assert.deepEqual(
			(await list(one)).map(({ id }) => id),
			[fake.stored[1]?.id],
		);
		const all = await ask("/v1/executions?limit=-1");
		assert.equal(all.headers.get("x-limit"), null);
		assert.equal((await list(all)).length, 3);
		assert.equal((await ask("/v1/executions")).headers.get("x-limit"), "100");
	}));

test("bad paging is 400, and too much of it 403 for those who are no administrators", () =>
	withHttp(async ({ ask, fake }) => {
		for (const query of ["limit=0", "limit=-2", "limit=x", "limit=1.5", "limit=", "offset=-1", "offset=2147483648", "show_secrets=maybe"]) {
			const response = await ask(`/v1/executions?${query}`);
			assert.equal(response.status, 400, query);
			assert.ok((await faultOf(response)).startsWith(`${query.split("=")[0]}: `), query);
		}
		fake.isAdmin = false;
		for (const query of ["limit=101", "limit=-1"]) assert.equal((await ask(`/v1/executions?${query}`)).status, 403, query);
		assert.equal((await ask("/v1/executions?limit=100")).status, 200);
	}));

test("filters reach the engine as fields of the record", () =>
	withHttp(async ({ ask, fake }) => {
		const filterOf = async (query: string) => {
			assert.equal((await ask(`/v1/executions?${query}`)).status, 200, query);
			return (fake.asked["list"] as { filter: unknown }).filter;
		};
		assert.deepEqual(await filterOf("parent=null&status=&action=core.local&user=maria&unknown=1"), {
			action_ref: "core.local",
			parent_id: null,
			user: "maria",
		});
		assert.deepEqual(await filterOf(`id=${firstId},${firstId}`), { id: [firstId, firstId] });
		assert.deepEqual(await filterOf("filter=action.ref:core.local%20context.user:maria"), { action_ref: "core.local", user: "maria" });
		assert.deepEqual(await filterOf("filter=action.uid:action:core:local%20runner.uid:runner_type:noop"), {
			action_ref: "core.local",
			runner_name: "noop",
		});
		assert.deepEqual(await filterOf("filter=action.uid:rule:core:local"), { action_ref: [] });
		assert.deepEqual(await filterOf("filter=start_timestamp:2031-03-04T00:00:00Z"), {
			start_timestamp: { gte: "2031-03-04T00:00:00.000000Z", lte: "2031-03-04T00:00:00.000000Z" },
		});
		assert.deepEqual(await filterOf("action=core.local&filter=action.ref:core.echo"), { action_ref: [] });
		// What no rule has started has no trigger either: one condition, which has an index.
		for (const query of ["rule=null", "trigger=null", "trigger_type=NULL&rule=null", "filter=trigger_instance.id:null"])
			assert.deepEqual(await filterOf(query), { rule_name: null }, query);
		assert.deepEqual(await filterOf("rule=deploy&trigger=null"), { rule_name: [] });
		assert.deepEqual(await filterOf("status=running&status=failed"), { status: "failed" });
		assert.deepEqual(await filterOf("status=running,%20failed"), { status: ["running", "failed"] });
		assert.deepEqual(await filterOf("timestamp=2031-03-04T00:00:00Z..2031-03-05T00:00:00Z"), {
			start_timestamp: { gte: "2031-03-04T00:00:00.000000Z", lte: "2031-03-05T00:00:00.000000Z" },
		});
		assert.deepEqual(await filterOf("timestamp_gt=2031-03-04 00:00:00.123%2B00:00"), {
			start_timestamp: { gt: "2031-03-04T00:00:00.123000Z" },
		});
		// A plus sign in an address is a blank to the service.
		for (const query of ["timestamp_lt=2031-03-04T02:00:00%2B02:00", "timestamp_lt=2031-03-04T02:00:00+02:00"])
			assert.deepEqual(await filterOf(query), { start_timestamp: { lt: "2031-03-04T00:00:00.000000Z" } }, query);
		const hour = (await filterOf("timestamp=-1h..now")) as { readonly start_timestamp: { readonly gte: string; readonly lte: string } };
		const [from, to] = [hour.start_timestamp.gte, hour.start_timestamp.lte].map((text) => Date.parse(text));
		assert.ok(Math.abs((to ?? 0) - (from ?? 0) - 3_600_000) < 100 && Math.abs((to ?? 0) - Date.now()) < 60_000);
	}));

test("bad filters are 400 and named", () =>
	withHttp(async ({ ask }) => {
		const cases: [string, RegExp][] = [
			["id=xyz", /^id: /],
			[`id=${Array.from({ length: 101 }, () => firstId).join(",")}`, /^id: at most 100 ids are allowed, got 101$/],
			["filter=nocolon", /^filter: "nocolon"/],
			["filter=constructor.name:x", /^filter: "constructor.name" is not a field of executions/],
			[
				"filter=result.stdout:x",
				/^filter: "result.stdout" has no index, so every execution would be read; allowed are id, status, .*start_timestamp$/,
			],
			["filter=start_timestamp:x", /^timestamp: /],
			["max_limit=1&limit=-2", /^limit: must be a positive integer, or -1 for all records, got -2$/],
			["offset=-1", /^offset: must be from 0 to 2147483647, got -1$/],
			["timestamp=last", /^timestamp: /],
			["timestamp_gt=2031-02-30T00:00:00Z", /^timestamp_gt: /],
			["timestamp_lt=2031-03-04T00:00:00%2B99:00", /^timestamp_lt: /],
			["timestamp_lt=1h", /^timestamp_lt: /],
			["status=failed,foo", /^status: "foo" must be one of /],
			["filter=status:foo", /^filter: status: "foo" must be one of /],
		];
		for (const [query, message] of cases) {
			const response = await ask(`/v1/executions?${query}`);
			assert.equal(response.status, 400, query);
			assert.match(await faultOf(response), message);
		}
	}));

test("the order follows sort, else sort_desc before sort_asc", () =>
	withHttp(async ({ ask, fake }) => {
		const orderOf = async (query: string) => {
			await ask(`/v1/executions?${query}`);
			return (fake.asked["list"] as { orderBy?: unknown }).orderBy;
		};
		const ascending = [
			["start_timestamp", "asc"],
			["action_ref", "asc"],
		];
		assert.equal(await orderOf(""), undefined);
		assert.deepEqual(await orderOf("sort_asc=True"), ascending);
		assert.equal(await orderOf("sort_asc=True&sort_desc=True"), undefined);
		assert.deepEqual(await orderOf("timestamp=2031-03-05T00:00:00Z..2031-03-04T00:00:00Z"), ascending);
		assert.deepEqual(await orderOf("sort_desc=1&sort=-status,+timestamp,nothing"), [
			["status", "desc"],
			["start_timestamp", "asc"],
		]);
	}));

test("attributes can be selected, with sub-fields, and large fields that are not shown are not read", () =>
	withHttp(async ({ ask, fake }) => {
		fake.stored.push(createExecution());
		const [named] = await list(await ask("/v1/executions?include_attributes=status,context.user"));
		assert.deepEqual(named, { id: firstId, status: "requested", context: { user: "maria" } });
		const { fields, children } = fake.asked["list"] as { fields: string[]; children: boolean };
		assert.ok(fields.includes("context") && !fields.includes("result") && !fields.includes("parameters") && !children);
		const [action] = await list(await ask("/v1/executions?include_attributes=action.ref"));
		assert.deepEqual(Object.keys(action ?? {}), ["id", "action", "runner"]);
		assert.deepEqual(Object.keys(action?.["action"] as object), ["uid", "ref", "pack", "output_schema", "parameters"]);
		assert.deepEqual(Object.keys(action?.["runner"] as object), ["runner_parameters"]);
		const [wide] = await list(await ask("/v1/executions?include_attributes=context.user,context"));
		assert.deepEqual(wide?.["context"], { user: "maria", pack: "core" });
		const one = await read(await ask(`/v1/executions/${firstId}?exclude_attributes=status`));
		assert.ok(!("status" in one) && "log" in one);
		for (const query of ["include_attributes=status&exclude_attributes=result", "include_attributes=nothing", "exclude_attributes=log"]) {
			assert.equal((await ask(`/v1/executions?${query}`)).status, 400, query);
		}
	}));

test("one execution is read by id or as the last one", () =>
	withHttp(async ({ ask, fake }) => {
		assert.equal((await ask("/v1/executions/last")).status, 400);
		assert.equal((await ask("/v1/executions/xyz")).status, 404);
		fake.stored.push(createExecution({ result: { stdout: "up" }, result_size: 15 }));
		assert.equal((await read(await ask("/v1/executions/last")))["id"], firstId);
		assert.equal((await ask("/v1/executions/last", { method: "DELETE" })).status, 404);
		const large = await read(await ask(`/v1/executions/${firstId}?max_result_size=15`));
		assert.deepEqual(large["result"], { stdout: "up" });
		const asked = (fake.asked["get"] as { fields: string[] }).fields;
		assert.ok(asked.includes("result"));
		await ask(`/v1/executions/${firstId}?max_result_size=14`);
		assert.ok(!(fake.asked["get"] as { fields: string[] }).fields.includes("result"));
		for (const size of ["-1", "14680065", "x"])
			assert.equal((await ask(`/v1/executions/${firstId}?max_result_size=${size}`)).status, 400, size);
	}));

test("attribute and result are bare JSON", () =>
	withHttp(async ({ ask, fake }) => {
		fake.stored.push(createExecution({ result: { stdout: "up" } }));
		const path = `/v1/executions/${firstId}`;
		assert.equal(await (await ask(`${path}/attribute/status`)).text(), '"requested"');
		assert.equal(await (await ask(`${path}/attribute/trigger_instance`)).text(), "null");
		assert.equal((await ask(`${path}/attribute/parameters`)).status, 400);
		const pretty = await ask(`${path}/result?pretty_format=1&download=1`);
		assert.equal(await pretty.text(), '{\n  "stdout": "up"\n}');
		assert.equal(pretty.headers.get("content-type"), "text/json");
		assert.equal(pretty.headers.get("content-disposition"), `attachment; filename=execution_${firstId}_result.json`);
		const compressed = await ask(`${path}/result?compress=true&download=yes`);
		assert.equal(compressed.headers.get("content-encoding"), "gzip");
		assert.match(compressed.headers.get("content-disposition") ?? "", /\.json\.gz$/);
		assert.deepEqual(await compressed.json(), { stdout: "up" });
	}));

test("the output so far is a text, filtered by type", () =>
	withHttp(async ({ ask, fake }) => {
		fake.stored.push(createExecution({ status: "running" }));
		fake.addChunk("a\n");
		fake.addChunk("é\n", { output_type: "stderr" });
		const output = async (query: string) => {
			const response = await ask(`/v1/executions/last/output${query}`);
			assert.equal(response.headers.get("content-type"), "text/plain; charset=UTF-8");
			return response.text();
		};
		assert.equal(await output(""), "a\né\n");
		assert.equal(await output("?output_type=ALL"), "a\né\n");
		assert.equal(await output("?output_type=stderr"), "é\n");
		const wrong = await ask("/v1/executions/last/output?output_type=nothing");
		assert.deepEqual([wrong.status, await faultOf(wrong)], [400, 'output_type: "nothing" must be one of stdout, stderr, other, all']);
		assert.equal((await ask("/v1/executions/xyz/output")).status, 404);
	}));

test("cancel answers 200 with the record, or with a faultstring when it is too late", () =>
	withHttp(async ({ ask, fake }) => {
		fake.stored.push(createExecution({ status: "running" }));
		const cancel = async () => read(await ask(`/v1/executions/${firstId}`, { method: "DELETE" }));
		assert.equal((await cancel())["id"], firstId);
		fake.finish();
		assert.deepEqual(await cancel(), { faultstring: "cannot be canceled, state = succeeded" });
	}));

test("PUT takes a known status and nothing else", () =>
	withHttp(async ({ ask, fake }) => {
		fake.stored.push(createExecution());
		const put = (body: object) => ask(`/v1/executions/${firstId}`, { ...post(body), method: "PUT" });
		assert.equal((await put({ status: "pausing" })).status, 200);
		assert.deepEqual(fake.asked["setStatus"], { status: "pausing" });
		for (const body of [{}, { status: "done" }, { status: "canceled", other: 1 }, { status: "canceled", result: 1 }]) {
			assert.equal((await put(body)).status, 400, JSON.stringify(body));
		}
	}));

test("a re-run passes on what was given", () =>
	withHttp(async ({ ask, fake }) => {
		fake.stored.push(createExecution());
		const response = await ask(`/v1/executions/${firstId}/re_run?no_merge=true`, post({ parameters: { cmd: "id" }, delay: 0, user: "" }));
		assert.equal(response.status, 201);
		assert.deepEqual(fake.asked["rerun"], { parameters: { cmd: "id" }, noMerge: true });
		assert.equal((await ask(`/v1/executions/${firstId}/re_run`, post({ tasks: [1] }))).status, 400);
	}));

test("the svc-context header adds to the context but cannot set user or pack", () =>
	withHttp(async ({ ask, fake }) => {
		const create = (header: string) => {
			const init = post({ action: "core.local", context: { a: 1, user: "kept for the engine to overwrite" } });
			return ask("/v1/executions", { ...init, headers: { ...(init.headers as object), "svc-context": header } });
		};
		assert.equal((await create('{"b":2,"user":"root","pack":"x"}')).status, 201);
		assert.deepEqual((fake.asked["submit"] as { context: object }).context, { a: 1, user: "kept for the engine to overwrite", b: 2 });
		for (const header of ["x", "[]", "null", "1"]) assert.match(await faultOf(await create(header)), /^svc-context: /, header);
	}));

test.run();
