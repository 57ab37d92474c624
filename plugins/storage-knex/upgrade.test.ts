// test-timeout: 300

import * as assert from "node:assert/strict";
import { test } from "uvu";
import { defineAuthBackend, type EntityKind, entityKinds, type Storage } from "../../core/contract/index.ts";
import { createService } from "../../core/service/service.ts";
import { until } from "../../core/testing/guarantees/until.test-support.ts";
import { postgresTest } from "../../core/testing/services/postgres.test-support.ts";
import { announcement } from "../../plugins-runner/announcement/index.ts";
import { injectTrigger } from "../../plugins-runner/inject-trigger/index.ts";
import { inquirer } from "../../plugins-runner/inquirer/index.ts";
import { localCommand } from "../../plugins-runner/local-command/index.ts";
import { localScript } from "../../plugins-runner/local-script/index.ts";
import { noop } from "../../plugins-runner/noop/index.ts";
import { type Client, createClient } from "../_shipped/client.ts";
import { shippedFeatures } from "../_shipped/features.ts";
import { memoryBus } from "../event-bus-memory/index.ts";
import { toDeclaredMigrations } from "./declared-migrations.ts";
import { knexStorage } from "./index.ts";
import { migrations } from "./migrations/index.ts";
import { createOldFile, createOldPostgres, type OldDatabase, packs, type Row } from "./old-database.test-support.ts";
import { toContext } from "./storage-context.test-support.ts";
import { toTable } from "./table-names.ts";

const kinds = Object.keys(entityKinds) as EntityKind[];
/** Those of version 0.1.0. */
const done = migrations.slice(0, 4);

const gardeners = defineAuthBackend("gardeners", () => ({
	authenticate: async ({ username, password }) =>
		password === `the word of ${username}` ? { username, groups: ["gardeners"] } : undefined,
}));

async function withOld(create: () => Promise<OldDatabase>, run: (old: OldDatabase) => Promise<void>): Promise<void> {
	const old = await create();
	try {
		await run(old);
	} finally {
		await old.remove();
	}
}

/** The service that left the database behind, as it is now. */
async function withService(old: OldDatabase, run: (client: Client) => Promise<void>): Promise<void> {
	const service = createService(
		{
			features: shippedFeatures(),
			storage: knexStorage(old.options),
			event_bus: memoryBus(),
			runners: [localCommand(), localScript(), noop(), announcement(), inquirer(), injectTrigger()],
			packs: [packs],
			data_dir: old.directory,
			auth: { port: 0, backend: gardeners() },
			api: { port: 0 },
			stream: { port: 0 },
			log: { level: "error" },
			// The output is older than it would be kept.
			garbagecollector: { action_executions_ttl: 0 },
			rbac: { enable: true, mappings: [{ group: "gardeners", roles: ["admin"] }] },
		},
		{ directory: old.directory },
	);
	try {
		const { addresses } = await service.start();
		const { auth: authUrl = "", api: apiUrl = "", stream: streamUrl = "" } = addresses;
		const at = { apiUrl, authUrl, streamUrl };
		const { token } = await createClient(at).signIn({ username: "ann", password: "the word of ann" });
		await run(createClient({ ...at, token }));
	} finally {
		await service.stop();
	}
}

/** Every record is there with what it held, and has nothing in the fields that came later. */
async function assertKept(old: OldDatabase): Promise<void> {
	const tables = await old.listTables();
	const before = new Map<string, readonly Row[]>();
	for (const table of tables) before.set(table, await old.readRows(table));
	const changes = [...migrations.slice(done.length), ...toDeclaredMigrations(done.map(({ name }) => name))];
	assert.deepEqual(
		await readPlan(old),
		changes.map(({ name }) => name),
	);
	const storage = knexStorage(old.options).create();
	await storage.start?.(toContext(old.directory));
	try {
		for (const kind of kinds) {
			const found: readonly object[] = await storage.find(kind, {});
			// What came later is empty, but for what was made of other records.
			assert.equal(found.length > 0, tables.includes(toTable(kind)) || kind === "rule_ref", kind);
			for (const entity of found) assert.deepEqual(Object.keys(entity), Object.keys(entityKinds[kind].fields), kind);
		}
		await assertFoundByRule(storage);
	} finally {
		await storage.stop?.();
	}
	await old.assertSchema();
	for (const table of tables) {
		const after = await old.readRows(table);
		assert.equal(after.length, before.get(table)?.length, table);
		for (const [index, row] of (before.get(table) ?? []).entries()) {
			const added = Object.keys(after[index] ?? {}).filter((name) => !(name in row));
			assert.deepEqual(after[index], { ...row, ...Object.fromEntries(added.map((name) => [name, null])) }, table);
		}
	}
}

/** Rules are known with every ref under which they have acted, or may. */
async function assertFoundByRule(storage: Storage): Promise<void> {
	const [kept, acts, rules] = await Promise.all([
		storage.find("rule_ref", {}),
		storage.find("rule_enforcement", {}),
		storage.find("rule", {}),
	]);
	assert.deepEqual(
		kept.map(({ rule_id, rule_ref }) => `${rule_id} ${rule_ref}`).sort(),
		[...new Set([...acts.map((act) => `${act.rule_id} ${act.rule_ref}`), ...rules.map(({ id, ref }) => `${id} ${ref}`)])].sort(),
	);
}

async function readPlan(old: OldDatabase): Promise<readonly string[] | undefined> {
	const storage = knexStorage(old.options).create();
	try {
		return await storage.plan?.(toContext(old.directory));
	} finally {
		await storage.stop?.();
	}
}

/** The end of an execution, whenever it comes. */
function endOf(client: Client, id: string): Promise<string> {
	return until(`execution ${id} has ended`, 60, async () => {
		const { status, end_timestamp } = await client.executions.get(id);
		return end_timestamp === undefined || end_timestamp === null ? undefined : status;
	});
}

async function assertGoesOn(client: Client): Promise<void> {
	const { items: left } = await client.executions.list({ limit: 100 });
	const idsOf = (ref: string, status: string) =>
		left.filter((execution) => execution.action.ref === ref && execution.status === status).map(({ id }) => id);
	// What ran when the old version was killed has ended or is seen to end; what waited behind it and what waited for its time are run.
	const [question = ""] = idsOf("core.ask", "pending");
	await client.inquiries.respond(question, { mow: true });
	assert.equal(await endOf(client, question), "succeeded");
	const ends = await Promise.all(left.filter(({ action }) => action.ref === "default.nap").map(({ id }) => endOf(client, id)));
	assert.deepEqual(ends.sort(), ["abandoned", "succeeded"]);
	const outputs = await Promise.all(left.map(({ id }) => endOf(client, id).then(() => client.executions.output(id))));
	assert.ok(outputs.includes("later\n"));

	const before = await countEnforcements(client);
	const [watered = ""] = idsOf("garden.water", "succeeded");
	assert.match(await client.executions.output(watered), /litres for the/);
	const again = await client.executions.rerun(watered, { parameters: { bed: "roses", litres: 3 } });
	assert.equal(await endOf(client, again.id), "succeeded");
	assert.equal(await client.executions.output(again.id), "3 litres for the roses\n");
	assert.equal((await client.keys.get("gate_code", { decrypt: true })).value, "open sesame");
	await assertRulesAct(client, before);
}

/** One of the two deliveries of the webhook starts the action of its rule. The end of each of its runs starts that of another rule. */
async function assertRulesAct(client: Client, before: readonly number[]): Promise<void> {
	for (const { id } of (await client.webhooks.deliveries()).items) await client.webhooks.replay(id);
	const [dry = 0, watered = 0] = before;
	await until("both rules have acted", 60, async () => {
		const [dryNow = 0, wateredNow = 0] = await countEnforcements(client);
		return (dryNow === dry + 1 && wateredNow >= watered + 2) || undefined;
	});
}

function countEnforcements(client: Client): Promise<number[]> {
	const count = async (rule: string) => (await client.rules.enforcements({ rule_ref: rule, limit: 100 })).items.length;
	return Promise.all(["garden.dry", "default.after_watering"].map(count));
}

for (const [name, on, create] of [
	["SQLite", test, createOldFile],
	["PostgreSQL", postgresTest(test), createOldPostgres],
] as const) {
	on(`what version 0.1.0 has left on ${name} is all there, and has the schema of today`, () => withOld(create, assertKept));
	on(`the service goes on where version 0.1.0 was killed on ${name}`, () => withOld(create, (old) => withService(old, assertGoesOn)));
}

test.run();
