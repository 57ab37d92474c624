import * as assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "uvu";
import { parse, stringify } from "yaml";
import { memoryBus } from "../../../../plugins/event-bus-memory/index.ts";
import { memoryStorage } from "../../../../plugins/storage-memory/index.ts";
import {
	defineRunner,
	isSvcError,
	type JsonObject,
	type ParameterDefinitions,
	type RunContext,
	type SvcConfig,
} from "../../../contract/index.ts";
import type { Principal } from "../../../kernel/basics/principal.ts";
import type { Engine } from "../../../kernel/engine-api.ts";
import type { SubmitInput } from "../../../kernel/executions/executions-api.ts";
import { isCompleted } from "../../../kernel/executions/status.ts";
import { createLogger } from "../../../service/logger.ts";
import { createEngine } from "../../../service/service.ts";

const root: Principal = { username: "root", isAdmin: true, authentication: { method: "none" } };

interface Subject {
	readonly engine: Engine;
	readonly configs: string;
	readonly log: string[];
	/** Run `disk.show` and give what its runner saw. */
	run(input?: Partial<SubmitInput>, principal?: Principal): Promise<Pick<RunContext, "packConfig" | "actionParameters">>;
}

interface Given {
	readonly schema?: ParameterDefinitions | string;
	readonly values?: JsonObject | string;
	readonly parameters?: ParameterDefinitions;
	readonly config?: Partial<SvcConfig>;
}

const toText = (content: JsonObject | ParameterDefinitions | string) => (typeof content === "string" ? content : stringify(content));

async function withPack({ schema, values, parameters = {}, config = {} }: Given, use: (subject: Subject) => Promise<void>): Promise<void> {
	const directory = mkdtempSync(join(tmpdir(), "svc-pack-config-"));
	const pack = join(directory, "packs", "disk");
	const configs = join(directory, "data", "configs");
	mkdirSync(join(pack, "actions"), { recursive: true });
	mkdirSync(configs, { recursive: true });
	writeFileSync(join(pack, "pack.yaml"), stringify({ name: "disk", description: "d", version: "1.0.0", author: "a" }));
	writeFileSync(join(pack, "actions", "show.yaml"), stringify({ name: "show", runner_type: "seeing", parameters }));
	if (schema !== undefined) writeFileSync(join(pack, "config.schema.yaml"), toText(schema));
	if (values !== undefined) writeFileSync(join(configs, "disk.yaml"), toText(values));
	const log: string[] = [];
	const seen = new Map<string, Pick<RunContext, "packConfig" | "actionParameters">>();
	const seeing = defineRunner("seeing", () => ({
		description: "Remembers what it gets.",
		capabilities: {},
		parameters: {},
		async run({ execution_id, packConfig, actionParameters, logger }) {
			seen.set(execution_id, { packConfig, actionParameters });
			logger.info("seen", { config: JSON.stringify(packConfig) });
			return { succeeded: true, result: {} };
		},
	}));
	const engine = createEngine(
		{
			storage: memoryStorage(),
			event_bus: memoryBus(),
			runners: [seeing()],
			auth: { enable: false },
			packs: [join(directory, "packs")],
			data_dir: join(directory, "data"),
			...config,
		},
		{
			logger: createLogger(
				{ level: "debug", format: "json", mask_secrets: true, mask_secrets_blacklist: [] },
				{ debug: false, stream: { write: (text: string) => void log.push(text) } },
			),
		},
	);
	try {
		await engine.start();
		await use({
			engine,
			configs,
			log,
			async run(input = {}, principal = root) {
				const { entity } = await engine.executions.submit({ action: "disk.show", ...input }, principal);
				for (;;) {
					const { entity: now } = await engine.executions.get(entity.id);
					if (isCompleted(now.status)) return seen.get(entity.id) ?? assert.fail(JSON.stringify(now.result));
					await new Promise((resolve) => setTimeout(resolve, 2));
				}
			},
		});
	} finally {
		await engine.stop();
		rmSync(directory, { recursive: true, force: true });
	}
}

const invalid = (message: RegExp) => (error: unknown) =>
	isSvcError(error, "SVC_INVALID") && (message.test(error.message) || assert.fail(error.message));

const schema: ParameterDefinitions = {
	limit: { type: "integer", default: 90, maximum: 100 },
	api_pin: { type: "string", secret: true },
	host: { type: "string", default: "{{ svckv.system.host }}" },
	mail: { type: "object", properties: { port: { type: "integer", default: 25 }, to: { type: "array", items: { type: "string" } } } },
	accounts: {
		type: "object",
		additionalProperties: {
			type: "object",
			properties: { name: { type: "string", default: "nobody" }, pin: { type: "string", secret: true } },
		},
	},
	steps: { type: "array", items: { type: "object", properties: { retries: { type: "integer", default: 3 } } } },
};

test("a pack without configuration has an empty one", () =>
	withPack({}, async ({ run }) => {
		assert.deepEqual((await run()).packConfig, {});
	}));

test("defaults are filled in at every level, templates rendered and secrets decrypted", () =>
	withPack(
		{
			schema,
			values: {
				api_pin: "{{ svckv.system.pin }}",
				accounts: { a: { pin: "pin of {{ svckv.user.name }} is {{ svckv.system.pin }}" } },
				steps: [{ retries: 1 }, {}],
				extra: "{{ svckv.system.pin }}|{{ svckv.system['with.dots'] }}",
				absent: "{{ svckv.system.absent }}",
				partly: "x{{ svckv.system.absent }}",
				number: 5,
			},
		},
		async ({ engine: { datastore }, run, log }) => {
			await datastore.set("pin", { value: "canary-{{ 1 }}", secret: true }, root);
			await datastore.set("host", { value: "{{ 7 * 7 }}" }, root);
			await datastore.set("with.dots", { value: "d" }, root);
			await datastore.set("name", { value: "Root", scope: "user" }, root);
			const { packConfig } = await run();
			const { extra, ...rest } = packConfig;
			assert.match(String(extra), /^svc2\.[^|]*\|d$/);
			assert.deepEqual(rest, {
				limit: 90,
				api_pin: "canary-{{ 1 }}",
				// What the datastore holds is never a template.
				host: "{{ 7 * 7 }}",
				mail: { port: 25, to: [] },
				accounts: { a: { name: "nobody", pin: "pin of Root is canary-{{ 1 }}" } },
				steps: [{ retries: 1 }, { retries: 3 }],
				absent: null,
				partly: "x",
				number: 5,
			});
			assert.ok(log.some((line) => line.includes("datastore item decrypted") && line.includes("pack configuration")));
			assert.ok(!log.join("").includes("canary-"));
			assert.ok(log.some((line) => line.includes('"seen"')));
		},
	));

test("a member that cannot be rendered fails the execution, naming pack and member", () =>
	withPack({ values: { a: { b: "{{ nothing.at.all }}" } } }, async ({ engine, run }) => {
		await assert.rejects(run(), /configuration of pack \\?"disk\\?": \\?"a\.b\\?" cannot be rendered/);
		await assert.rejects(engine.packConfigs.resolve("disk", "root"), invalid(/"a\.b" cannot be rendered/));
	}));

test("config_context and the datastore are there in the templates of parameters, given and default", () =>
	withPack(
		{
			schema,
			values: { limit: 7 },
			parameters: {
				limit: { type: "integer", default: "{{ config_context.limit }}" as never },
				fixed: { type: "string", immutable: true, default: "{{ svckv.system.host }}/{{ svckv.user.me }}" },
				text: { type: "string" },
				clear: { type: "string", secret: true },
			},
		},
		async ({ engine: { datastore }, run }) => {
			await datastore.set("host", { value: "{{ text }}" }, root);
			await datastore.set("me", { value: "root's", scope: "user" }, root);
			await datastore.set("a.b", { value: "dotted" }, root);
			await datastore.set("pin", { value: "4711", secret: true }, root);
			const { actionParameters } = await run({
				parameters: {
					text: "{{ svckv.system.a.b }} {{ svckv.system['a.b'] }} {{ svckv.system.absent }}. {{ config_context.limit }}",
					clear: "{{ svckv.system.pin | decrypt_kv }}",
				},
			});
			assert.deepEqual(actionParameters, { limit: 7, fixed: "{{ text }}/root's", text: "dotted dotted . 7", clear: "4711" });
			const encrypted = await run({ parameters: { text: "{{ svckv.system.pin }}" } });
			assert.match(String(encrypted.actionParameters["text"]), /^svc2\./);
			await assert.rejects(run({ parameters: { text: "{{ svckv.system.absent | decrypt_kv }}" } }), invalid(/text/));
			await assert.rejects(run({ parameters: { text: "{{ svckv.system.host | decrypt_kv }}" } }), invalid(/not a ciphertext|decrypt/));
		},
	));

test("svckv.user is of context.api_user, whom only administrators may choose", () =>
	withPack({ parameters: { text: { type: "string" } } }, async ({ engine: { datastore }, run }) => {
		const maria: Principal = { username: "maria", isAdmin: false, authentication: { method: "none" } };
		await datastore.set("me", { value: "of root", scope: "user" }, root);
		await datastore.set("me", { value: "of maria", scope: "user" }, maria);
		const parameters = { text: "{{ svckv.user.me }}" };
		const text = async (input: Partial<SubmitInput>, principal: Principal) =>
			(await run({ parameters, ...input }, principal)).actionParameters["text"];
		assert.equal(await text({}, root), "of root");
		assert.equal(await text({}, maria), "of maria");
		assert.equal(await text({ context: { api_user: "maria" } }, root), "of maria");
		assert.equal(await text({ context: { api_user: "maria" } }, maria), "of maria");
		await assert.rejects(text({ context: { api_user: "root" } }, maria), /context\.api_user: "maria" may only name itself/);
	}));

test("a configuration saved over the API is checked, written for its owner only, and seen at once", () =>
	withPack({ schema: { ...schema, api_pin: { type: "string", secret: true, required: true } } }, async ({ engine, configs, run }) => {
		const { packConfigs } = engine;
		const set = (values: JsonObject) => packConfigs.set("disk", values, root);
		await assert.rejects(set({}), invalid(/configuration of pack "disk": "api_pin" is required/));
		await assert.rejects(set({ api_pin: "x", limit: "many" }), invalid(/"limit" must be/));
		await assert.rejects(set({ api_pin: "x", limit: 101 }), invalid(/"limit" must be <= 100/));
		await assert.rejects(set({ api_pin: "x", mail: { port: "p" } }), invalid(/"mail\.port" must be/));
		await assert.rejects(set({ api_pin: "x", limit: "{{ svckv.system.limit }}" }), invalid(/"limit" must be/));
		await assert.rejects(set({ api_pin: "********" }), invalid(/hidden value/));
		await assert.rejects(set({ api_pin: "{{ svckv.system.pin | decrypt_kv }}" }), invalid(/must not use decrypt_kv/));
		await assert.rejects(packConfigs.set("../evil", {}, root), (error) => isSvcError(error, "SVC_NOT_FOUND"));
		assert.equal(existsSync(join(configs, "disk.yaml")), false);
		await set({ api_pin: "4711", limit: 1, further: { anything: [1, null] } });
		assert.equal(statSync(join(configs, "disk.yaml")).mode & 0o777, 0o600);
		assert.equal((await run()).packConfig["limit"], 1);
		// A client sends back what it was shown.
		await set({ api_pin: "********", limit: 2 });
		assert.deepEqual(parse(readFileSync(join(configs, "disk.yaml"), "utf8")), { api_pin: "4711", limit: 2 });
		assert.equal((await run()).packConfig["limit"], 2);
	}));

test("without a schema everything is accepted, and a file that cannot be read hides nothing else", () =>
	withPack({ values: "a: [" }, async ({ engine: { packConfigs }, log }) => {
		assert.match(log.join(""), /pack configuration is invalid.*disk/);
		assert.deepEqual(await packConfigs.list(), []);
		await assert.rejects(packConfigs.get("disk"), invalid(/disk\.yaml: line 1/));
		await packConfigs.set("disk", { b: { c: [1] } }, root);
		assert.deepEqual((await packConfigs.get("disk")).values, { b: { c: [1] } });
		assert.deepEqual(
			(await packConfigs.list()).map(({ pack }) => pack),
			["disk"],
		);
		await assert.rejects(packConfigs.schema("disk"), (error) => isSvcError(error, "SVC_NOT_FOUND"));
		await assert.rejects(packConfigs.get("core"), (error) => isSvcError(error, "SVC_NOT_FOUND"));
	}));

test("a schema that is none is named at the start and where it is needed", () =>
	withPack({ schema: { limit: { tpye: "integer" } } as never }, async ({ engine: { packConfigs }, run, log }) => {
		assert.match(log.join(""), /config\.schema\.yaml/);
		await assert.rejects(packConfigs.schema("disk"), invalid(/config\.schema\.yaml: .*tpye/));
		await assert.rejects(run(), /tpye/);
	}));

test("a file of comments is an empty configuration", () =>
	withPack({ schema: "# nothing yet\n", values: "---\n# nothing\n" }, async ({ engine: { packConfigs }, run }) => {
		assert.deepEqual((await packConfigs.get("disk")).values, {});
		assert.deepEqual((await run()).packConfig, {});
	}));

test.run();
