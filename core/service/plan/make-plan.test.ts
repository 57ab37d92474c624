// It waits until the SQLite driver closes a database. What earlier test files have left in the process delays that.
// test-process: own
import * as assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { chmod, copyFile, mkdir, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";
import { test } from "uvu";
import type { PlannedRecord, ServicePlan } from "../../cli/service-plan.ts";
import { install } from "../../features/packs/activation/pack-activation.test-support.ts";
import { databaseClosed, greetRule, type PlanPlace, quietPorts, usual, withPlan } from "../../testing/plan/plan.test-support.ts";
import { findFreePort } from "../../testing/services/free-port.test-support.ts";

const refs = (records: readonly { readonly ref: string }[] = []) => records.map(({ ref }) => ref);
const stateOf = (records: readonly PlannedRecord[] = [], ref: string) => records.find((record) => record.ref === ref)?.state;
const wrong = ({ problems }: ServicePlan) =>
	problems.map(({ path, message, hint }) => `${path}: ${message}${hint ? `; hint: ${hint}` : ""}`);

test("a plan on an empty directory makes nothing, and tells what a start makes", () =>
	withPlan(async ({ directory, planUntouched, serve }) => {
		const plan = await planUntouched();
		assert.deepEqual(plan.problems, []);
		assert.equal(plan.would_start, true);
		assert.deepEqual(plan.features, { listed: ["webUi", "audit", "aliases", "workers", "packInstaller"], left_out: [] });
		assert.equal(plan.storage?.state, "new");
		assert.equal(plan.storage?.place, join(directory, "data/svc.db"));
		assert.equal(plan.first_user, true);
		await serve(async ({ engine }, { addresses, firstUser }) => {
			assert.equal(firstUser !== undefined, plan.first_user);
			const { page: _page, ...listeners } = addresses;
			assert.deepEqual(Object.keys(listeners).sort(), plan.listeners?.map(({ name }) => name).sort());
			for (const { path } of plan.files ?? []) assert.ok(existsSync(path), path);
			const { rules, actions, runnerTypes, webhooks, timers, triggers, policies, sensorTypes, aliases } = engine;
			assert.deepEqual(refs((await policies.list({}, {})).items), refs(plan.content?.policies));
			assert.deepEqual(refs((await aliases.list({}, {})).items), refs(plan.content?.action_aliases));
			assert.deepEqual(refs(plan.content?.action_aliases), ["hello.hello"]);
			assert.deepEqual(refs((await sensorTypes.list({}, {})).items), refs(plan.content?.sensors));
			assert.deepEqual([refs(plan.content?.policies), plan.content?.sensors.length], [["hello.few"], 1]);
			assert.deepEqual(
				(await rules.list({}, {})).items.map(({ rule }) => rule.ref),
				refs(plan.content?.rules),
			);
			assert.deepEqual((await actions.list({}, {})).items.map(({ ref }) => ref).sort(), refs(plan.content?.actions));
			assert.deepEqual((await runnerTypes.list({}, {})).items.map(({ name }) => name).sort(), refs(plan.content?.runner_types));
			assert.deepEqual(
				(await triggers.types.list({}, {})).items.map(({ ref }) => ref),
				refs(plan.content?.trigger_types),
			);
			assert.deepEqual(
				(await webhooks.list()).map(({ url }) => `/v1/webhooks/${url}`),
				plan.content?.webhooks.map(({ path }) => path),
			);
			assert.deepEqual(
				(await timers.list()).map(({ trigger }) => trigger.parameters),
				plan.content?.timers.map(({ parameters }) => parameters),
			);
		});
	}));

test("what a start would skip is a warning with the file", () =>
	withPlan(async ({ plan, write }) => {
		await write("packs/hello/rules/wrong.yaml", "name: wrong\npack: hello\ntrigger: { type: no.such }\naction: { ref: hello.greet }\n");
		const { warnings, would_start, content } = await plan();
		assert.equal(would_start, true);
		const texts = warnings.map(({ path, message }) => `${path}: ${message}`);
		assert.ok(
			texts.some((text) => /rules\/wrong\.yaml: pack content was skipped: .*trigger type "no\.such" does not exist/.test(text)),
			texts.join("\n"),
		);
		assert.ok(
			texts.some((text) =>
				/actions\/broken\.yaml: pack content was skipped: attribute "runner_type": runner type "nope" is not configured/.test(text),
			),
			texts.join("\n"),
		);
		assert.ok(!refs(content?.actions).includes("hello.broken"));
	}));

test("what was installed stays as it is; a directory of its name stands in for it", () =>
	withPlan(async ({ plan, serve, write }) => {
		const files = { "actions/look.yaml": "name: look\nrunner_type: noop\n", "actions/old.yaml": "name: old\nrunner_type: noop\n" };
		await serve(async ({ engine }) => {
			await install(engine, "disk", files);
		});
		const { content } = await plan();
		assert.deepEqual([stateOf(content?.packs, "disk"), stateOf(content?.actions, "disk.look")], ["same", "same"]);
		await write("packs/disk/pack.yaml", "name: disk\ndescription: d\nversion: 2.0.0\nauthor: a\n");
		await write("packs/disk/actions/look.yaml", "name: look\nrunner_type: noop\ndescription: other\n");
		const after = await plan();
		assert.deepEqual(
			[stateOf(after.content?.packs, "disk"), stateOf(after.content?.actions, "disk.look"), stateOf(after.content?.actions, "disk.old")],
			["changed", "changed", "left"],
		);
		assert.ok(after.warnings.some(({ message }) => /replaces the installed pack of the same name.*disk/.test(message)));
	}));

test("on a used database the plan names what is new, what changes and what is left, and changes no byte; one of an older version is not read", () =>
	withPlan(async ({ directory, plan, planUntouched, serve, write }) => {
		await serve(async () => {});
		const same = await planUntouched();
		// The record of the node may still count as living, but nobody holds the file.
		assert.equal(same.after_running, false);
		assert.equal(same.storage?.state, "ready");
		assert.equal(same.first_user, false);
		for (const records of [same.content?.rules, same.content?.actions, same.content?.packs]) {
			assert.deepEqual(
				records?.filter(({ state }) => state !== "same"),
				[],
			);
		}
		await write("packs/hello/rules/greet.yaml", `${greetRule}description: Greets whoever asks.\n`);
		await write("packs/hello/rules/more.yaml", greetRule.replace("name: greet", "name: more").replace("url: greet", "url: /more/"));
		await rm(join(directory, "packs/hello/rules/often.yaml"));
		const { content } = await planUntouched();
		assert.deepEqual(
			[stateOf(content?.rules, "hello.greet"), content?.rules.find(({ ref }) => ref === "hello.greet")?.changes],
			["changed", ["description"]],
		);
		assert.equal(stateOf(content?.rules, "hello.more"), "new");
		assert.equal(stateOf(content?.rules, "hello.often"), "left");
		assert.deepEqual(
			content?.webhooks.map(({ path, state }) => [path, state]),
			[
				["/v1/webhooks/greet", "same"],
				["/v1/webhooks/more", "new"],
			],
		);
		await serve(async ({ engine }) => {
			assert.deepEqual(
				(await engine.rules.list({}, {})).items.map(({ rule }) => rule.ref),
				refs(content?.rules),
			);
			// The service itself writes meanwhile.
			const during = await plan();
			assert.ok(during.warnings.some(({ message }) => message.includes("it is in use by node")));
			assert.deepEqual([during.would_start, during.after_running], [true, true]);
		});
		await assertOlderIsNotRead({ directory, planUntouched });
	}));

/** A database of an older version is not read, and its migrations are named. */
async function assertOlderIsNotRead({ directory, planUntouched }: Pick<PlanPlace, "directory" | "planUntouched">): Promise<void> {
	const file = join(directory, "data/svc.db");
	const Database = createRequire(import.meta.url)("libsql") as new (path: string) => { exec(sql: string): void; close(): void };
	const database = new Database(file);
	database.exec("delete from migrations where name like '0006%'");
	database.close();
	await databaseClosed(directory);
	await copyFile(file, join(directory, "copy.db"));
	const { storage, content, would_start } = await planUntouched();
	assert.deepEqual([storage?.state, storage?.changes, would_start], ["older", ["0006-clocks-of-nodes"], true]);
	assert.equal(stateOf(content?.rules, "hello.greet"), null);
}

test("a database that cannot be reached is a problem, and everything else is planned", () =>
	withPlan(async ({ configure, planUntouched }) => {
		const port = await findFreePort();
		await configure(
			usual.replace(
				'knexStorage({ client: "sqlite" })',
				`knexStorage({ client: "postgres", url: "postgres://svc:hidden@127.0.0.1:${port}/svc" })`,
			),
		);
		const plan = await planUntouched();
		assert.equal(plan.would_start, false);
		assert.equal(plan.storage?.state, "unreachable");
		assert.match(wrong(plan).join("\n"), new RegExp(`storage: .*127\\.0\\.0\\.1:${port}`));
		assert.ok(!JSON.stringify(plan).includes("hidden"));
		assert.equal(stateOf(plan.content?.rules, "hello.greet"), null);
	}));

test("a port that is taken is a problem", () =>
	withPlan(async ({ configure, plan }) => {
		const port = await findFreePort();
		const other = createServer((_request, response) => response.end("something else")).listen(port, "127.0.0.1");
		await new Promise((resolve) => other.once("listening", resolve));
		const taken = usual.replace("api: { port: 0 }", `api: { port: ${port} }`);
		await configure(taken);
		const refused = await plan();
		await new Promise((resolve) => other.close(resolve));
		assert.deepEqual(wrong(refused), [`api.port: 127.0.0.1 port ${port} is used by another program; hint: choose another port or host`]);
		await configure(usual.replace(quietPorts, `api: { port: ${port} }, stream: { port: ${port} }`));
		assert.match(wrong(await plan()).join(), /stream\.port: .* is also the port of api\.port/);
	}));

test("everything that is wrong is told at once, each with path and hint", () =>
	withPlan(async ({ configure, planUntouched, serve }) => {
		await configure(`event_bus: memoryBus, runners: [noop(), { kind: "runner", name: "x", create: () => ({}) }], api: { prot: 1 }`);
		const plan = await planUntouched();
		assert.equal(plan.would_start, false);
		assert.deepEqual(
			plan.problems.map(({ path }) => path),
			["storage", "event_bus", "api.prot", "auth.backend"],
		);
		assert.ok(plan.problems.filter(({ path }) => path !== "api.prot").every(({ hint }) => hint !== undefined));
		await assert.rejects(
			serve(async () => {}),
			(error: Error) => plan.problems.every(({ path, message }) => error.message.includes(`${path}: ${message}`)),
		);
		await configure(`${usual.replace("[noop()]", '[noop(), { kind: "runner", name: "x", create: () => ({}) }]')}`);
		const [problem] = wrong(await planUntouched());
		assert.match(problem ?? "", /^runners\[1\]: runner "x" has no method run; hint: async run/);
	}));

test("options that are not the default and variables in force are listed, without secrets", () =>
	withPlan(async ({ configure, plan }) => {
		await configure(usual.replace("auth: {", "system: { debug: true }, auth: { enable: false,"));
		const { options = [], warnings } = await plan({ SVC_API_HOST: "0.0.0.0", SVC_ADMIN_PASSWORD: "hush-hush", SVC_API_PRT: "1" });
		assert.deepEqual(
			options.find(({ path }) => path === "api.host"),
			{ path: "api.host", value: "0.0.0.0", variable: "SVC_API_HOST" },
		);
		assert.deepEqual(
			options.find(({ path }) => path === "system.debug"),
			{ path: "system.debug", value: true },
		);
		assert.ok(!JSON.stringify(options).includes("hush"));
		const texts = warnings.map(({ path, message }) => `${path}: ${message}`).join("\n");
		for (const word of [/auth\.enable: authentication is off/, /system\.debug: /, /api\.port: 0\.0\.0\.0 .*without TLS/, /SVC_API_PRT/])
			assert.match(texts, word);
	}));

test("a plan says that others may read the data directory", () =>
	withPlan(async ({ plan, directory }) => {
		const isSaid = async () => (await plan()).warnings.some(({ path, message }) => path === "data_dir" && message.includes("mode 0755"));
		assert.equal(await isSaid(), false);
		await mkdir(join(directory, "data"), { mode: 0o755 });
		assert.equal(await isSaid(), true);
		await chmod(join(directory, "data"), 0o700);
		assert.equal(await isSaid(), false);
	}));

test("a plan says that the first administrator has no role, and that a pack lacks what it requires", () =>
	withPlan(async ({ plan, write, configure }) => {
		await configure(`${usual}, rbac: { enable: true }`);
		await write("packs/hello/config.schema.yaml", "token: { type: string, required: true, secret: true }\n");
		const texts = ({ warnings }: ServicePlan) => warnings.map(({ path, message }) => `${path}: ${message}`).join("\n");
		const planned = texts(await plan());
		assert.match(planned, /rbac\.assignments: the first administrator, "admin", has no role and therefore no permissions/);
		assert.match(planned, /configuration of pack "hello": "token" is required/);
		await configure(`${usual}, configs: "./configs", rbac: { enable: true, assignments: [{ username: "admin", roles: ["admin"] }] }`);
		await write("configs/hello.yaml", "token: abc\n");
		assert.doesNotMatch(texts(await plan()), /has no role|is required/);
	}));

test("a plan says what proxy mode needs, and keeps the secret that the proxy shares", () =>
	withPlan(async ({ plan }) => {
		const env = { SVC_AUTH_MODE: "proxy" };
		assert.match(wrong(await plan(env)).join(), /^auth\.trusted_proxies: required in proxy mode.*; hint: only the address of the proxy/);
		const trusting = { ...env, SVC_AUTH_TRUSTED_PROXIES: "127.0.0.1" };
		const { warnings } = await plan(trusting);
		assert.ok(warnings.some(({ path, message }) => path === "auth.trusted_proxies" && message.includes("every program on this machine")));
		const { options = [] } = await plan({ ...trusting, SVC_AUTH_PROXY_SECRET: "between us two only" });
		assert.equal(options.find(({ path }) => path === "auth.proxy_secret")?.value, "********");
	}));

test("roles that need other nodes are refused with plugins that cannot be shared", () =>
	withPlan(async ({ plan, serve, configure }) => {
		await configure(`${usual}, node: { only: ["worker"] }`);
		const planned = await plan();
		assert.match(wrong(planned).join(), /^node\.only: other nodes must run .*; hint: /);
		await assert.rejects(
			serve(async () => {}),
			/node\.only: other nodes must run/,
		);
	}));

test.run();
