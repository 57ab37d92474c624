import * as assert from "node:assert/strict";
import { test } from "uvu";
import { defineRunner, type StoragePlugin } from "../../core/contract/index.ts";
import { until } from "../../core/testing/guarantees/until.test-support.ts";
import { FailingStorage } from "../../core/testing/http/failing-storage.test-support.ts";
import { type GuardedService, withGuardedService } from "../../core/testing/http/guarded-service.test-support.ts";
import { createSubject, matrixPacks, matrixRunners } from "../../core/testing/http/matrix-subject.test-support.ts";
import { toRightsRows } from "../../core/testing/http/rights-table.test-support.ts";
import { routes } from "../_shipped/routes.ts";
import type { AuditEntryEntity } from "./entities.ts";
import { announced, unrecorded } from "./request-recorder.ts";
import { verifyRecord } from "./verify-chain.ts";

async function entriesOf({ ask }: GuardedService, root: string, query = "after=0"): Promise<AuditEntryEntity[]> {
	return (await ask(root, "GET", `/v1/audit/entries?${query}`)).body as unknown as AuditEntryEntity[];
}

const shown = ({ user, request, verb, record_kind, ref, outcome, fields }: AuditEntryEntity) =>
	[user, request, verb, record_kind, ref, outcome, fields.join()].join(" ");

test("an entry tells who has changed what, from where and with what, and no value of it", () =>
	withGuardedService(async (service) => {
		const { ask, signIn } = service;
		const root = await signIn("root");
		const before = await entriesOf(service, root);
		const item = { value: "a value that nobody may see", secret: true };
		await ask(root, "PUT", "/v1/keys/pin", item);
		await ask(root, "PUT", "/v1/keys/pin", { ...item, value: "another secret value" });
		await ask(root, "DELETE", "/v1/keys/pin");
		const { body: key } = await ask(root, "POST", "/v1/apikeys", { metadata: { used_by: "audit" } });
		const entries = await entriesOf(service, root, `after=${before.length}`);
		assert.deepEqual(entries.map(shown), [
			"root PUT /keys/:name create key_value pin done ",
			"root PUT /keys/:name update key_value pin done value",
			"root DELETE /keys/:name delete key_value pin done ",
			"root POST /apikeys create api_key root done ",
		]);
		assert.ok(entries.every(({ credential, address }) => /^token:[0-9a-f]{24}$/.test(credential) && address === "127.0.0.1"));
		const text = JSON.stringify(entries);
		assert.doesNotMatch(text, /nobody may see|another secret/);
		assert.ok(!text.includes(String(key["key"])));
		assert.deepEqual((await verifyRecord(await entriesOf(service, root), { checkpoints: [] })).findings, []);
		assert.ok(before.map(shown).includes("root POST /tokens sign_in token root done "));
	}));

test("an entry about a webhook or a timer tells which one, also after its end, and no parameter of other triggers", () =>
	withGuardedService(async (service) => {
		const { ask, signIn } = service;
		const root = await signIn("root");
		const before = (await entriesOf(service, root)).length;
		const rule = (trigger: object) => ({ name: "watch", pack: "default", trigger, action: { ref: "default.speak" } });
		const parameters_schema = { type: "object", properties: { place: { type: "string" } } };
		await ask(root, "POST", "/v1/triggertypes", { pack: "default", name: "opened", parameters_schema });
		for (const trigger of [
			{ type: "core.svc.webhook", parameters: { url: "/hello" } },
			{ type: "core.svc.CronTimer", parameters: { cron: "0 3 * * *" } },
			{ type: "default.opened", parameters: { place: "a private place" } },
		]) {
			assert.equal((await ask(root, "POST", "/v1/rules", rule(trigger))).status, 201);
			assert.equal((await ask(root, "DELETE", "/v1/rules/default.watch")).status, 204);
		}
		const hook = { type: "core.svc.webhook", name: "moved", parameters: { url: "here" } };
		await ask(root, "POST", "/v1/triggers", hook);
		await ask(root, "PUT", "/v1/triggers/core.moved", { ...hook, parameters: { url: "there" } });
		await ask(root, "PUT", "/v1/triggers/core.moved", { ...hook, parameters: { url: "there" }, description: "moved" });
		const entries = await entriesOf(service, root, `after=${before}`);
		assert.deepEqual(
			entries.filter(({ record_kind }) => record_kind === "trigger").map(({ verb, detail }) => `${verb} ${detail}`),
			[
				...["create webhook hello", "delete webhook hello", "create cron 0 3 * * *", "delete cron 0 3 * * *", "create null", "delete null"],
				...["create webhook here", "update webhook there; was webhook here", "update webhook there"],
			],
		);
		assert.doesNotMatch(JSON.stringify(entries), /a private place/);
		assert.deepEqual((await verifyRecord(await entriesOf(service, root), { checkpoints: [] })).findings, []);
	}));

test("every request that may change something leaves an entry, or is named with a reason why it does not", () =>
	withGuardedService(
		async (service) => {
			const { ask, signIn } = service;
			const root = await signIn("root");
			const subject = (await createSubject(service, root))("root");
			const last = async () => (await entriesOf(service, root, "limit=1"))[0]?.number ?? 0;
			const known = new Set(routes.map(({ component, method, path }) => `${component} ${method} ${path}`));
			for (const key of [...unrecorded.keys(), ...announced]) assert.ok(known.has(key), key);
			for (const { key, route, row } of toRightsRows(routes)) {
				if (route.method === "GET" || route.method === "HEAD" || row.ok >= 400) continue;
				const { path, body } = await row.request(subject);
				const before = await last();
				const base = route.component === "auth" ? "/auth/v1" : "/v1";
				const { status } = await ask(root, route.method, base + path, body);
				assert.equal(status, row.ok, key);
				const added = await entriesOf(service, root, `after=${before}`);
				assert.equal(added.length > 0, !unrecorded.has(key), `${key}: ${added.map(shown).join("; ")}`);
			}
		},
		{ packs: matrixPacks, runners: matrixRunners, auth: { listen: false } },
	));

test("what is refused is recorded, and nobody fills the record with it", () =>
	withGuardedService(async (service) => {
		const { ask, signIn, urls } = service;
		const [root, eve] = [await signIn("root"), await signIn("eve")];
		await signIn("ann");
		for (let time = 0; time < 20; time += 1) assert.equal((await ask(eve, "DELETE", "/v1/actions/default.speak")).status, 403);
		assert.equal((await ask(eve, "GET", "/v1/audit/entries")).status, 403);
		for (let time = 0; time < 4; time += 1) {
			const authorization = `Basic ${Buffer.from("ann:wrong").toString("base64")}`;
			assert.equal((await fetch(`${urls.auth}/tokens`, { method: "POST", headers: { authorization } })).status, 401);
		}
		const authorization = `Basic ${Buffer.from("a-password-in-the-name:x").toString("base64")}`;
		assert.equal((await fetch(`${urls.auth}/tokens`, { method: "POST", headers: { authorization } })).status, 401);
		const refused = await entriesOf(service, root, "after=0&outcome=refused");
		const of = (user: string, verb: string) => refused.filter((entry) => entry.user === user && entry.verb === verb);
		assert.equal(of("eve", "request").length, 4);
		assert.match(String(of("eve", "request")[0]?.detail), /"eve" does not have the permission "action_delete"/);
		assert.equal(of("ann", "sign_in").length, 3);
		assert.match(String(of("", "sign_in")[0]?.detail), /an unknown user name, which is in the log/);
		assert.doesNotMatch(JSON.stringify(refused), /a-password-in-the-name/);
		assert.match(JSON.stringify(refused), /17 earlier refusals were not recorded/);
		assert.doesNotMatch(JSON.stringify(refused), /wrong/);
	}));

/** Stores its parameter in the datastore, as whoever runs it. */
const keeper = (urls: { api: string }) =>
	defineRunner("keeper", () => ({
		description: "Keeps what it is told.",
		capabilities: {},
		parameters: { name: { type: "string", required: true } },
		async run({ runnerParameters: { name }, environment, execution_id }) {
			const headers = { "x-auth-token": environment["SVC_ACTION_AUTH_TOKEN"] ?? "", "content-type": "application/json" };
			const body = JSON.stringify({ value: execution_id });
			const { status } = await fetch(`${urls.api}/v1/keys/${name}`, { method: "PUT", headers, body });
			return { succeeded: status === 200, result: { status } };
		},
	}))();

for (const [runs, expected] of [
	["some", ["first", "second: 2 earlier changes by runs were not recorded"]],
	["all", ["first", "first", "first", "second"]],
	["none", []],
] as const) {
	test(`of what running actions store the record has ${runs}`, () => {
		const urls = { api: "" };
		return withGuardedService(
			async (service) => {
				const { ask, signIn, run } = service;
				urls.api = service.urls.api;
				const root = await signIn("root");
				await ask(root, "POST", "/v1/actions", { name: "keep", runner_type: "keeper" });
				// What it may not do is no use to it: the next one is recorded all the same.
				for (const name of ["a/b", "first", "first", "first", "second"]) await run(root, "default.keep", { name });
				const entries = await entriesOf(service, root, "after=0&kind=key_value");
				assert.deepEqual(
					entries.map(({ ref, detail }) => (detail === null ? ref : `${ref}: ${detail}`)),
					expected,
				);
				assert.equal((await ask(root, "GET", "/v1/keys/second")).status, 200);
				assert.deepEqual((await verifyRecord(await entriesOf(service, root), { checkpoints: [] })).findings, []);
			},
			{ runners: [keeper(urls)], audit: { datastore_of_runs: runs } },
		);
	});
}

test("where entries cannot be written, changes are answered with 503 and not made; reading and runs go on", () => {
	const failing = new FailingStorage();
	return withGuardedService(
		async (service) => {
			const { ask, signIn, run } = service;
			const root = await signIn("root");
			const before = (await entriesOf(service, root)).length;
			failing.failure = (member, values) =>
				member === "write" && JSON.stringify(values).includes('"insert":"audit_entry"') ? new Error("no room") : undefined;
			assert.equal((await ask(root, "PUT", "/v1/keys/pin", { value: "1" })).status, 503);
			assert.equal((await ask(root, "DELETE", "/v1/actions/default.whisper")).status, 503);
			assert.equal((await ask(root, "POST", "/v1/keys/rotate", {})).status, 503);
			assert.equal((await ask(root, "GET", "/v1/keys/pin")).status, 404);
			assert.equal((await ask(root, "GET", "/v1/actions/default.whisper")).status, 200);
			await run(root);
			failing.failure = undefined;
			assert.equal((await entriesOf(service, root)).length, before);
			assert.equal((await ask(root, "PUT", "/v1/keys/pin", { value: "1" })).status, 200);
		},
		{ storage: (plugin: StoragePlugin) => failing.wrap(plugin) },
	);
});

test("the record is signed as it grows, in the storage and in the log, and whenever somebody asks", () =>
	withGuardedService(async (service) => {
		const { ask, signIn, log } = service;
		const root = await signIn("root");
		for (let time = 0; time < 100; time += 1) await ask(root, "PUT", "/v1/keys/count", { value: String(time) });
		await until("a checkpoint", 20, async () => log.some((line) => line.includes("audit checkpoint")) || undefined);
		const [kept] = (await ask(root, "GET", "/v1/audit/checkpoints")).body as unknown as { number: number }[];
		assert.ok(Number(kept?.number) >= 100);
		const { body: now } = await ask(root, "GET", "/v1/audit/checkpoint");
		const report = await verifyRecord(await entriesOf(service, root), { checkpoints: [kept, now] as never });
		assert.deepEqual([report.findings, report.checkpoints, report.keys.length], [[], 2, 1]);
	}));

test.run();
