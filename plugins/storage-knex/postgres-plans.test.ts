import * as assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import postgres from "postgres";
import { test } from "uvu";
import { type ExecutionEntity, entityKinds, type Query, type RuleEnforcementEntity } from "../../core/contract/index.ts";
import { executionFilterQuery, parseExecutionFilter } from "../../core/features/executions/execution-filter.ts";
import { ClaimCursor } from "../../core/kernel/coordination/claim-cursor.ts";
import { toDelayedClaim, toImmediateClaim } from "../../core/kernel/scheduling/claim-sources.ts";
import { createTestDatabase, postgresTest } from "../../core/testing/services/postgres.test-support.ts";
import { bindingsOf, type Conditions, toComparisons } from "./conditions.ts";
import type { Step } from "./database-client.ts";
import { postgresDialect } from "./postgres-client.ts";
import { administer, startPostgresStorage } from "./postgres-database.test-support.ts";
import { createPostgresKnex } from "./postgres-knex.ts";
import { toCount, toFields, toOrdering, toSelect } from "./reads.ts";
import { type Ordering, Statements } from "./statements.ts";
import { toClaim, toRemove } from "./writes.ts";

const plansTest = postgresTest(test);

const total = 40_000;

/** Most ended well and belong to a rule; a few wait or run. Wide, as results make them. */
const fill = `insert into executions (id, liveaction_id, status, action_ref, runner_name, "user", parent_id, trace_id, rule_name, trigger_name,
	trigger_type_name, trigger_instance_id, start_timestamp, due_timestamp, lease_expires_at, owner, queue, result)
select lpad(to_hex(n), 24, '0'), 'live' || n,
	case when n % 1000 = 0 then 'running' when n % 1000 = 1 then 'requested' when n % 50 = 2 then 'failed' else 'succeeded' end,
	'pack.action' || n % 40, 'runner' || n % 5, 'user' || n % 20,
	case when n % 10 = 0 then lpad(to_hex(n - 1), 24, '0') end, 'trace' || n / 3,
	case when n % 20 > 0 then 'rule' || n % 40 end, case when n % 20 > 0 then 'trigger' || n % 40 end,
	case when n % 20 > 0 then 'type' || n % 40 end, case when n % 20 > 0 then 'instance' || n end,
	time, time, case when n % 1000 = 0 then time end, case when n % 1000 = 0 then 'node' || n % 3 end,
	case when n % 1000 = 1 then 'queue' || n % 3 end, repeat('x', 800)
from (select n, to_char(timestamp '2030-01-01' + n * interval '1 minute', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as time
	from generate_series(1, ${total}) n) numbers`;

const id = (n: number) => n.toString(16).padStart(24, "0");

type ListQuery = Parameters<typeof parseExecutionFilter>[0];

/** A list for each documented filter, and some of several. */
const lists: readonly Partial<ListQuery>[] = [
	{},
	{ sort_asc: "true" },
	{ action: "pack.action7" },
	{ status: ["succeeded"] },
	{ status: ["running"] },
	{ status: ["abandoned"] },
	{ liveaction: "live77" },
	{ parent: id(9) },
	{ parent: "null" },
	{ rule: "rule21" },
	{ rule: "null" },
	{ runner: "runner3" },
	{ trigger: "trigger21" },
	{ trigger: "null" },
	{ trigger_type: "type21" },
	{ trigger_type: "null" },
	{ trigger_instance: "instance21" },
	{ trigger_instance: "null" },
	{ user: "user3" },
	{ id: id(3) },
	{ id: Array.from({ length: 100 }, (_, n) => id(n * 7)).join() },
	{ timestamp: "2030-01-05T00:00:00Z..2030-01-05T03:00:00Z" },
	{ timestamp_gt: "2030-01-05T00:00:00Z" },
	{ timestamp_lt: "2030-01-05T00:00:00Z" },
	{ action: "pack.action7", status: ["succeeded"] },
	{ user: "user3", status: ["succeeded"] },
	{ status: ["failed", "running"] },
	{ filter: "action.ref:pack.action7 status:failed" },
	{ filter: "context.trace_context.id_:trace77" },
	{ filter: "context.user:user3 runner.name:runner3" },
	{ sort: "timestamp" },
	{ sort: "-timestamp", status: ["failed"] },
	{ sort: "rule" },
	{ sort: "-rule" },
];

/** A rule that has had two refs, the second of which has since become another's. */
const fillEnforcements = `insert into rule_enforcements (id, rule_id, rule_ref, trigger_instance_id, status, enforced_at, trace_id)
select lpad(to_hex(n), 24, '0'), case when n % 20 = 7 then case when n < 1000 then 'renamed' else 'other' end else 'rule' || n % 20 end,
	'pack.rule' || case when n < 500 and n % 20 = 7 then 8 else n % 20 end, 'instance' || n / 5, 'succeeded',
	to_char(timestamp '2030-01-01' + n * interval '10 seconds', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), 'trace' || n / 5
from generate_series(1, ${total / 4}) n`;

interface Plan {
	readonly "Node Type": string;
	readonly "Relation Name"?: string;
	readonly "Index Name"?: string;
	readonly "Index Cond"?: string;
	readonly "Actual Rows": number;
	readonly "Actual Loops": number;
	readonly "Rows Removed by Filter"?: number;
	readonly "Heap Fetches"?: number;
	readonly Plans?: readonly Plan[];
}

interface Scope {
	readonly statements: Statements;
	/** Every node of the plan of a statement that is run, and taken back. */
	readonly explain: (step: Step) => Promise<readonly Plan[]>;
	readonly run: (sql: string) => Promise<unknown>;
}

let executions: Promise<Scope & { readonly stop: () => Promise<void> }> | undefined;

/** All tests read the same executions. */
const withExecutions = (run: (scope: Scope) => Promise<void>) => async () => {
	executions ??= createExecutions();
	await run(await executions);
};

test.after(async () => (await executions)?.stop());

async function createExecutions(): Promise<Scope & { readonly stop: () => Promise<void> }> {
	const database = await createTestDatabase();
	const storage = await startPostgresStorage({ url: database.url });
	await storage.stop?.();
	await administer(database.url, fill);
	await administer(database.url, fillEnforcements);
	await administer(database.url, "vacuum analyze rule_enforcements");
	await vacuum(database.url);
	const client = postgres(database.url, { max: 1, fetch_types: false, onnotice: () => {} });
	const explain = async ({ statement, bindings }: Step) => {
		await client.unsafe("begin");
		const [found] = await client.unsafe(`explain (analyze, timing off, format json) ${statement.sql}`, [...bindings]);
		await client.unsafe("rollback");
		return flatten(found?.["QUERY PLAN"][0].Plan);
	};
	const stop = async () => {
		await client.end();
		await database.drop();
	};
	const statements = new Statements({ knex: await createPostgresKnex(), dialect: postgresDialect });
	return { statements, explain, run: (sql) => client.unsafe(sql), stop };
}

/** Until every page is known to be seen by all: a glance of autovacuum at the table keeps a vacuum from that. */
async function vacuum(url: string): Promise<void> {
	for (let turn = 0; turn < 100; turn += 1) {
		await administer(url, "vacuum analyze executions");
		const sizes = "select relpages, relallvisible from pg_class where oid = 'executions'::regclass";
		const [size] = await administer<{ relpages: number; relallvisible: number }>(url, sizes);
		if (size?.relpages === size?.relallvisible) return;
		await delay(100);
	}
}

function flatten(plan: Plan): Plan[] {
	return [plan, ...(plan.Plans ?? []).flatMap(flatten)];
}

function assertIndexed(plans: readonly Plan[], message: string): void {
	assert.ok(!plans.some((plan) => plan["Node Type"] === "Seq Scan"), `${message} reads the whole table`);
	assert.ok(
		plans.some((plan) => /Index/.test(plan["Node Type"])),
		`${message} uses no index`,
	);
}

/** The most rows that any part of a plan has gone over. */
function workOf(plans: readonly Plan[]): number {
	return Math.max(...plans.map((plan) => plan["Actual Rows"] * plan["Actual Loops"] + (plan["Rows Removed by Filter"] ?? 0)));
}

plansTest(
	"each documented filter of executions is served by an index, and a page of it without going over all that match",
	withExecutions(async ({ statements, explain }) => {
		const tested = new Set(lists.flatMap((list) => Object.keys(list)));
		assert.deepEqual(
			Object.keys(executionFilterQuery).filter((name) => !tested.has(name)),
			["sort_desc"],
		);
		for (const list of lists) {
			const { filter, orderBy } = parseExecutionFilter(list as ListQuery, (_field, value) => value);
			const where = toWhere(filter);
			const newest: Query<ExecutionEntity>["orderBy"] = [
				["start_timestamp", "desc"],
				["action_ref", "asc"],
			];
			const query: Query<ExecutionEntity> = { where, orderBy: orderBy ?? newest, limit: 100 };
			const found = await explain(toSelect(statements, { kind: "execution", query, fields: toFields("execution", undefined) }));
			const name = JSON.stringify(list);
			assertIndexed(found, name);
			// Two filters that have an index each, but none together, go over what matches one of them.
			assert.ok(workOf(found) <= (list["filter"]?.includes("runner") ? total / 20 : 2_000), `${name} goes over ${workOf(found)} rows`);
			for (const limit of [undefined, 1_000]) {
				const plans = await explain(toCount(statements, { kind: "execution", where: where as Conditions, limit }));
				assertIndexed(plans, `count of ${name}`);
				// Two filters without an index together go over what matches one of them.
				const isBounded = limit !== undefined && !list["filter"]?.includes("runner");
				if (isBounded) assert.ok(workOf(plans) <= 2_000, `count of ${name} goes over ${workOf(plans)} rows`);
			}
		}
	}),
);

plansTest(
	"the place of a late page is found by an index alone, and only the rows of the page are read",
	withExecutions(async ({ statements, explain }) => {
		const [limit, offset] = [20, 1_000];
		for (const where of [{}, { user: "user3" }, { status: "succeeded", parent_id: null }, { rule_name: null }] as const) {
			for (const direction of ["asc", "desc"] as const) {
				const query: Query<ExecutionEntity> = { where, orderBy: [["start_timestamp", direction]], limit, offset };
				const plans = await explain(toSelect(statements, { kind: "execution", query, fields: toFields("execution", undefined) }));
				const name = `${JSON.stringify(where)} ${direction}`;
				assertIndexed(plans, name);
				const scans = plans.filter((plan) => /Scan$/.test(plan["Node Type"]) && plan["Relation Name"] === "executions");
				const read = scans.filter((plan) => plan["Node Type"] !== "Index Only Scan").concat(scans.filter((plan) => plan["Heap Fetches"]));
				assert.ok(workOf(read) <= 5 * limit, `${name} reads ${workOf(read)} rows to pass over ${offset}`);
			}
		}
	}),
);

plansTest(
	"lists of several values and statements of the scheduler go over few rows",
	withExecutions(async ({ statements, explain }) => {
		const select = (query: Query<ExecutionEntity>) =>
			toSelect(statements, { kind: "execution", query, fields: toFields("execution", ["fence"]) });
		const claim = (where: Conditions, orderBy: Ordering) => claimStep(statements, { where, orderBy });
		const now = "2030-01-20T00:00:00.000000Z";
		const steps: Readonly<Record<string, Step>> = {
			newest: select({ orderBy: [["start_timestamp", "desc"]], limit: 1 }),
			merged: select({ where: { status: { in: ["failed", "succeeded"] } }, orderBy: [["start_timestamp", "desc"]], limit: 20 }),
			children: select({ where: { parent_id: { in: [id(9), id(19)] } }, orderBy: [["start_timestamp", "asc"]] }),
			requested: claimStep(statements, toImmediateClaim("requested", new ClaimCursor(), now)),
			released: claimStep(statements, toImmediateClaim("delayed", new ClaimCursor(), now)),
			delayed: claimStep(statements, toDelayedClaim("requested", { lte: now })),
			due: claimStep(statements, toDelayedClaim("delayed", { lte: now })),
			queued: select({ where: { queue: "queue1", status: "requested" }, orderBy: [["due_timestamp", "asc"]], limit: 20 }),
			expired: select({ where: { status: { in: ["running", "scheduled"] }, lease_expires_at: { gte: "", lt: now } } }),
			"expired since the last look": select({
				where: { status: { in: ["running", "scheduled"] }, lease_expires_at: { gte: now, lt: now } },
			}),
			renewed: claim({ id: { in: [id(1000), id(2000)] }, owner: "node1", status: { in: ["running"] } }, [["id", "asc"]]),
			removed: firstStep(toRemove(statements, "execution", { status: { in: ["failed"] }, start_timestamp: { lt: "2030-01-03" } }, 50)),
			statuses: { statement: statements.distinct("execution", "status", []), bindings: [] },
			rules: { statement: statements.distinct("execution", "rule_name", []), bindings: [] },
		};
		for (const [name, step] of Object.entries(steps)) {
			const plans = await explain(step);
			assertIndexed(plans, name);
			assert.ok(workOf(plans) <= 500, `${name} goes over ${workOf(plans)} rows`);
		}
	}),
);

plansTest(
	"an execution that is named by its id is found by that, whatever else is asked of it",
	withExecutions(async ({ statements, explain }) => {
		const indexesOf = async (step: Step) => (await explain(step)).flatMap((plan) => plan["Index Name"] ?? []);
		// Of few figures say that an index of these is as good as the id.
		const expected: Conditions = { status: "scheduled", fence: "fence", owner: "node1", lease_expires_at: { not: null }, queue: null };
		for (const answer of ["row", "change"] as const) {
			for (const assignments of [[{ field: "token_hash", isAppended: false }], []]) {
				const where = toComparisons("execution", expected);
				const bindings = [...assignments.map(() => "hash"), id(1_000), ...bindingsOf(where, postgresDialect)];
				const step = { statement: statements.update("execution", assignments, where, answer), bindings };
				assert.deepEqual(await indexesOf(unrefused(step)), ["executions_pkey"], step.statement.sql);
			}
		}
		const query: Query<ExecutionEntity> = { where: { id: { in: [id(1_000), id(2_000)] }, status: "scheduled" } };
		assert.deepEqual(await indexesOf(toSelect(statements, { kind: "execution", query, fields: toFields("execution", undefined) })), [
			"executions_pkey",
		]);
	}),
);

plansTest(
	"what waits is found by its status and start together, also where the server believes that nothing does",
	withExecutions(async ({ statements, explain, run }) => {
		await run("update executions set status = 'succeeded', queue = null where status in ('requested', 'delayed')");
		await run("analyze executions");
		const begun = "2030-02-01T00:00:00.000000Z";
		const frontier = new ClaimCursor();
		for (const waiting of [3, 3_000]) {
			await run(toWait(waiting, begun));
			for (const status of ["requested", "delayed"] as const) {
				frontier.reset();
				// Everything, and what is ahead of what has been claimed.
				for (const bound of ["''", "'2030"]) {
					const plans = await explain(claimStep(statements, toImmediateClaim(status, frontier, begun)));
					frontier.advanceTo(begun);
					const scans = plans.filter((plan) => plan["Index Name"] !== undefined && plan["Index Name"] !== "executions_pkey");
					const name = `${status}, ${waiting}, ${bound}: ${JSON.stringify(plans[0])}`;
					const indexes = scans.map((plan) => plan["Index Name"]);
					assert.deepEqual(indexes, ["executions_status_start_timestamp_parent_id_queue_delay_index"], name);
					const condition = scans[0]?.["Index Cond"] ?? "";
					for (const part of [`status = '${status}'`, `start_timestamp >= ${bound}`, "queue IS NULL", "delay IS NULL"])
						assert.ok(condition.includes(part), `${part} in ${name}`);
					assert.ok(workOf(plans) <= 20, name);
				}
				const plans = await explain(claimStep(statements, toDelayedClaim(status, { lte: begun })));
				assert.ok(workOf(plans) <= 20, `${status}, due by now: ${JSON.stringify(plans[0])}`);
			}
		}
	}),
);

plansTest(
	"what a rule has done is found by an index, whatever refs it has had and whoever has them now",
	withExecutions(async ({ statements, explain }) => {
		const [renamed, one] = [["pack.rule7", "pack.rule8"], "pack.rule3"];
		const conditions: readonly NonNullable<Query<RuleEnforcementEntity>["where"]>[] = [
			{ rule_ref: { in: renamed }, rule_id: "renamed" },
			{ rule_ref: one, rule_id: "rule3" },
			{ rule_ref: one },
			{ trigger_instance_id: "instance7" },
		];
		for (const where of conditions) {
			const name = JSON.stringify(where);
			const query: Query<RuleEnforcementEntity> = {
				where,
				orderBy: [
					["enforced_at", "desc"],
					["rule_ref", "asc"],
				],
				limit: 20,
			};
			const found = await explain(
				toSelect(statements, { kind: "rule_enforcement", query, fields: toFields("rule_enforcement", undefined) }),
			);
			assertIndexed(found, name);
			// Of one ref and one id the server takes there to be so few that it may sort them all.
			assert.ok(workOf(found) <= total / 80, `${name} goes over ${workOf(found)} rows`);
			const counted = await explain(toCount(statements, { kind: "rule_enforcement", where: where as Conditions, limit: 1_000 }));
			assertIndexed(counted, `count of ${name}`);
			assert.ok(workOf(counted) <= 500, `count of ${name} goes over ${workOf(counted)} rows`);
		}
	}),
);

/** As many of each kind that may wait: at once or until tomorrow, in a queue or in none. */
function toWait(count: number, time: string): string {
	return `insert into executions (id, liveaction_id, status, action_ref, runner_name, "user", trace_id, start_timestamp, due_timestamp, delay, queue)
		select md5(random()::text), md5(random()::text), status, 'pack.action1', 'runner1', 'user1', 'trace', '${time}',
			case when delay is null then '${time}' else '2030-02-02T00:00:00.000000Z' end, delay, queue
		from generate_series(1, ${count}), (values (null), (86400000)) delays (delay), (values (null), ('queue1'), ('queue2')) queues (queue),
			(values ('requested'), ('delayed')) statuses (status)`;
}

function claimStep(statements: Statements, { where, orderBy }: { readonly where: object; readonly orderBy: Ordering }): Step {
	const order = toOrdering("execution", orderBy);
	const input = { kind: "execution", where: where as Conditions, orderBy: order, limit: 20, patch: { status: "scheduled" } } as const;
	return firstStep(toClaim(statements, input));
}

function firstStep(write: { rounds(): Generator<readonly Step[]> }): Step {
	return (write.rounds().next().value as readonly Step[])[0] as Step;
}

/** The same, also where nothing is changed. */
function unrefused({ statement, bindings }: Step): Step {
	return { statement: { ...statement, sql: statement.sql.replace("1 / count(*)", "count(*)") }, bindings };
}

function toWhere(filter: object): NonNullable<Query<ExecutionEntity>["where"]> {
	const entries = Object.entries(filter).filter(([field]) => field in entityKinds.execution.fields);
	return Object.fromEntries(entries.map(([field, value]) => [field, Array.isArray(value) ? { in: value } : value]));
}

test.run();
