import * as assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "uvu";
import type { Storage } from "../../core/contract/index.ts";
import { executionFilterQuery, recordPaths } from "../../core/features/executions/execution-filter.ts";
import { createService } from "../../core/service/service.ts";
import { noop } from "../../plugins-runner/noop/index.ts";
import { memoryBus } from "../event-bus-memory/index.ts";
import type { Database, Step } from "./database-client.ts";
import { KnexStorage } from "./knex-storage.ts";
import { importLibsql } from "./libsql.ts";
import { createSqliteDatabase } from "./sqlite-client.ts";
import { withDirectory } from "./storage-context.test-support.ts";

const id = "0".repeat(24);
const moment = "2030-01-02T03:04:05.000000Z";
const notFilters = ["filter", "sort", "sort_asc", "sort_desc", "timestamp", "timestamp_gt", "timestamp_lt"];
const filters = Object.keys(executionFilterQuery).filter((name) => !notFilters.includes(name));

const statuses = ["requested", "scheduled", "delayed", "running", "succeeded", "failed", "timeout"];

/** What the documentation says lists of executions can be asked for. */
const queries = [
	"",
	...filters.map((name) => `${name}=${id}`),
	...filters.filter((name) => name !== "id").map((name) => `${name}=null`),
	...filters.map((name) => `parent=null&${name}=${id}`).filter((query) => !query.includes("&parent")),
	// A uid is looked for as the ref that is in it.
	...[...recordPaths.keys()].filter((path) => !path.endsWith(".uid")).map((path) => `filter=${path}:${id}`),
	`filter=start_timestamp:${moment}`,
	`timestamp=${moment}..${moment}`,
	`timestamp_gt=${moment}`,
	`timestamp_lt=${moment}`,
	"include_attributes=id,status&parent=null",
	"action=pack.one&status=failed",
	`user=${id}&status=failed`,
	"sort_asc=true",
	"offset=5",
	...[...filters, "timestamp"].flatMap((name) => [`sort=${name}`, `sort=-${name}`]),
	// Other values each time: totals of equal lists may be remembered.
].map((query, number) =>
	query
		.replace(new RegExp(`status([=:])${id}`), (_, sign) => `status${sign}${statuses[number % statuses.length]}`)
		.replaceAll(id, number.toString(16).padStart(24, "0")),
);

interface Asking {
	readonly path: string;
	readonly table: string;
	/** What there must be for the statements to be asked. */
	readonly fill?: (storage: Storage) => Promise<void>;
}

const executions: Asking = { path: "/v1/executions", table: "executions" };

/** Statements that read the table while `search` is answered. */
async function readSteps(
	directory: string,
	searches: readonly string[],
	{ path, table, fill }: Asking = executions,
): Promise<ReadonlyMap<string, readonly Step[]>> {
	const file = join(directory, "svc.db");
	const inner = createSqliteDatabase({ client: "sqlite", file });
	let steps: Step[] = [];
	const database: Database = {
		...inner,
		async open(context) {
			const client = await inner.open(context);
			const read = (step: Step) => {
				steps.push(step);
				return client.read(step);
			};
			return { ...client, read };
		},
	};
	const storage = new KnexStorage(database);
	const service = createService({
		storage: { kind: "storage", name: "watched", create: () => storage },
		...{ event_bus: memoryBus(), runners: [noop()], data_dir: directory, log: { level: "error" } },
		auth: { enable: false, listen: false },
		...{ api: { listen: false }, stream: { listen: false } },
	});
	await service.start();
	try {
		await fill?.(storage);
		const found = new Map<string, readonly Step[]>();
		for (const search of searches) {
			steps = [];
			// A page beyond the last one has to be counted.
			const response = await service.fetch(new Request(`http://localhost${path}?${search.includes("offset") ? "" : "offset=1&"}${search}`));
			assert.equal(response.status, 200, `${search}: ${await response.text()}`);
			found.set(
				search,
				steps.filter(({ statement: { sql } }) => sql.includes(`\`${table}\``)),
			);
		}
		return found;
	} finally {
		await service.stop();
	}
}

/** Filters that are asked for together and have an index together. */
const pairs: readonly (readonly [search: string, fields: string])[] = [
	["action=pack.one&status=failed", "action_ref=? AND status=?"],
	["status=failed&user=svc", "user=? AND status=?"],
];

/** Fields whose values belong to few entities each: what matches may all be read and sorted. */
const narrow = /\((id|liveaction_id|trace_id|trigger_instance_id)=\?\)/;

/** What is wrong with a plan: reading everything there is, or sorting all that matches. */
function findFaults(
	plan: readonly (readonly [node: number, parent: number, unused: number, detail: string])[],
	isCount: boolean,
): string[] {
	return plan
		.filter(([, parent, , detail]) => {
			if (/^SCAN (executions|trigger_instances|traces|rule_enforcements|webhook_deliveries)\b/.test(detail))
				return isCount ? !detail.includes("COVERING INDEX") : !/USING (COVERING )?INDEX/.test(detail);
			const beside = plan.filter((other) => other[1] === parent).map((other) => other[3]);
			return detail === "USE TEMP B-TREE FOR ORDER BY" && !beside.some((other) => narrow.test(other));
		})
		.map(([, , , detail]) => detail);
}

/** Whether many may be equal but for their id, which no index ends in. */
function sortsMany(sql: string, time: string): boolean {
	const [, ...orders] = sql.split(" order by ");
	return orders.some((order) => !order.includes(`\`${time}\``) && !order.startsWith("`id`"));
}

/** Lists that an index does not serve, by what they were asked for. */
async function findUnserved(directory: string, statements: ReadonlyMap<string, readonly Step[]>, time: string): Promise<readonly string[]> {
	const reader = new (await importLibsql())(join(directory, "svc.db"), { timeout: 1_000 });
	const faults: string[] = [];
	for (const [query, steps] of statements) {
		assert.ok(steps.length > 0, `${query}: a page is read`);
		for (const { statement, bindings } of steps) {
			const plan = reader.prepare(`explain query plan ${statement.sql}`).raw().all(bindings);
			const found = findFaults(plan as unknown as Parameters<typeof findFaults>[0], /^select (count|\()/.test(statement.sql));
			faults.push(...found.map((fault) => `${query}: ${fault} in ${statement.sql}`));
			if (sortsMany(statement.sql, time)) faults.push(`${query}: sorts all that are equal in ${statement.sql}`);
		}
	}
	reader.close();
	return faults;
}

test("every documented filter and order of executions is served by an index", () =>
	withDirectory(async (directory) => {
		assert.deepEqual(await findUnserved(directory, await readSteps(directory, queries), "start_timestamp"), []);
	}));

const eitherWay = (names: readonly string[]) => names.flatMap((name) => [`sort=${name}`, `sort=-${name}`]);
/** Other long lists, and what they can be asked for. */
const longLists: readonly (Asking & {
	/** The field that it is sorted by. */
	readonly time: string;
	readonly searches: readonly string[];
})[] = [
	{
		...{ path: "/v1/triggerinstances", table: "trigger_instances", time: "occurrence_time" },
		searches: [
			...["", `trigger=${id}`, `trigger_type=${id}`, "status=processed", `timestamp_gt=${moment}`, `timestamp_lt=${moment}`, "offset=5000"],
			...eitherWay(["id", "trigger", "trigger_type", "status", "timestamp"]),
		],
	},
	{
		...{ path: "/v1/traces", table: "traces", time: "start_timestamp" },
		searches: ["", "trace_tag=one", "sort_asc=True", "offset=5000", ...eitherWay(["id", "trace_tag", "start_timestamp"])],
	},
	{
		...{ path: "/v1/ruleenforcements", table: "rule_enforcements", time: "enforced_at" },
		searches: ["", "rule_ref=pack.one", "offset=5000", ...eitherWay(["id", "rule_ref", "trigger_instance", "enforced_at"])],
	},
	{
		...{ path: "/v1/webhook_deliveries", table: "webhook_deliveries", time: "received_at" },
		searches: ["", "url=one", "verdict=accepted", "offset=5000"],
	},
];

for (const { searches, time, ...asking } of longLists) {
	test(`documented filters and orders of ${asking.path} are served by an index`, () =>
		withDirectory(async (directory) => {
			const statements = await readSteps(directory, searches, asking);
			assert.deepEqual(await findUnserved(directory, statements, time), []);
			const [late] = statements.get("offset=5000") ?? [];
			assert.match(late?.statement.sql ?? "", /^with `near` as/, "a late page is found by an index alone");
		}));
}

test("an action and a status, or a user and a status, are found together by one index, and counted by it alone", () =>
	withDirectory(async (directory) => {
		const statements = await readSteps(
			directory,
			pairs.map(([search]) => search),
		);
		const reader = new (await importLibsql())(join(directory, "svc.db"), { timeout: 1_000 });
		for (const [search, fields] of pairs) {
			const plans = (statements.get(search) ?? []).map(({ statement, bindings }) =>
				reader
					.prepare(`explain query plan ${statement.sql}`)
					.raw()
					.all(bindings)
					.map((row) => String(row[3]))
					.join("; "),
			);
			assert.equal(plans.length, 2, search);
			for (const plan of plans) assert.ok(plan.includes(fields), `${search}: ${plan}`);
			assert.ok(
				plans.some((plan) => plan.includes("COVERING INDEX")),
				`${search}: ${plans.join(" | ")}`,
			);
		}
		reader.close();
	}));

/** A rule that has had two refs, and one that has kept its own. */
const ruleRefs = [
	{ id: "1", rule_id: "renamed", rule_ref: "pack.before" },
	{ id: "2", rule_id: "renamed", rule_ref: "pack.after" },
	{ id: "3", rule_id: "steady", rule_ref: "pack.steady" },
];
/** All else is said of what these have found. */
const byId = "rule_enforcements USING INDEX sqlite_autoindex_rule_enforcements_1 (id=?)";
const byRef = "INDEX rule_enforcements_rule_ref_enforced_at_rule_id_index (rule_ref=?)";

test("what a rule has done is found by the refs it has had, in order, and counted by that index alone", () =>
	withDirectory(async (directory) => {
		const table = "rule_enforcements";
		const fill = (storage: Storage) => storage.insert("rule_ref", ruleRefs);
		const searches = ["rule_id=renamed", "rule_id=steady", "rule_ref=pack.steady"];
		const lists = await readSteps(directory, searches, { path: "/v1/ruleenforcements", table, fill });
		const traces = await readSteps(directory, ["rule=renamed", "rule=steady"], { path: "/v1/traces", table });
		const reader = new (await importLibsql())(join(directory, "svc.db"), { timeout: 1_000 });
		for (const [search, steps] of [...lists, ...traces]) {
			assert.equal(steps.length, lists.has(search) ? 2 : 1, search);
			for (const { statement, bindings } of steps) {
				const plan = reader.prepare(`explain query plan ${statement.sql}`).raw().all(bindings);
				const details = plan.map((row) => String(row[3])).filter((detail) => !detail.includes(byId));
				const scans = details.filter((detail) => detail.includes("rule_enforcements "));
				const index = /^select count/.test(statement.sql) ? `COVERING ${byRef}` : byRef;
				assert.ok(scans.length > 0 && scans.every((detail) => detail.includes(index)), `${search}: ${details}`);
				// Of several refs the first of each are put in order, and no others.
				assert.ok(search.endsWith("renamed") || !details.includes("USE TEMP B-TREE FOR ORDER BY"), `${search}: ${details}`);
			}
		}
		reader.close();
	}));

test.run();
