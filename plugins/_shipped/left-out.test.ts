// test-timeout: 600
// test-suite: full
import * as assert from "node:assert/strict";
import { test } from "uvu";
import type { Finding } from "../../core/cli/service-plan.ts";
import type { Route } from "../../core/feature.ts";
import { type FeatureCall, featureCalls, type ServiceProcess } from "../../core/testing/guarantees/service-process.test-support.ts";
import { aliasExecutionRoutes } from "../feature-aliases/alias-executions-routes.ts";
import { aliasRoutes } from "../feature-aliases/routes.ts";
import { auditRoutes } from "../feature-audit/routes.ts";
import { packIndexRoutes } from "../feature-pack-installer/index-routes.ts";
import { packInstallRoutes } from "../feature-pack-installer/routes.ts";
import { webRoutes } from "../feature-web-ui/routes.ts";
import { workerRoutes } from "../feature-workers/routes.ts";
import type { Client, ExecutionRecord } from "./client.ts";
import { type SiteOptions, withSite } from "./left-out.test-support.ts";

type ListedRoute = Pick<Route, "method" | "path">;

/** Routes and a permission of each feature that a configuration may leave out. */
const features: Readonly<Record<FeatureCall, { readonly routes: readonly ListedRoute[]; readonly permission?: string }>> = {
	// A refusal of HEAD has no body that would name the route; GET has the same path.
	"webUi()": { routes: webRoutes.filter(({ method }) => method !== "HEAD") },
	"audit()": { routes: auditRoutes, permission: "audit_view" },
	"aliases()": { routes: [...aliasRoutes, ...aliasExecutionRoutes], permission: "action_alias_list" },
	"workers()": { routes: workerRoutes, permission: "worker_list" },
	"packInstaller()": { routes: [...packIndexRoutes, ...packInstallRoutes] },
};

const leftOutLine = "features of this package that the configuration leaves out";

/** Asks for each route of a feature. Returns the routes that the service does not have. */
async function findMissingRoutes({ api, token }: ServiceProcess, feature: FeatureCall): Promise<readonly string[]> {
	const missing: string[] = [];
	for (const { method, path } of features[feature].routes) {
		const address = path.startsWith("/web/") ? path : `/v1${path}`;
		const body = method === "GET" || method === "DELETE" ? {} : { body: "{}" };
		const headers = { "x-auth-token": token, "content-type": "application/json" };
		const response = await fetch(api + address.replaceAll(/:\w+/g, "x"), { method, headers, ...body });
		const { faultstring = "" } = (await response.json()) as { readonly faultstring?: string };
		const isMissing = faultstring.startsWith(`no route for ${method} `);
		// With 405 the path is that of a pack, for a route of core with another method.
		if (isMissing) assert.ok([404, 405].includes(response.status), `${method} ${path}: ${response.status}`);
		if (isMissing || faultstring === 'pack "index" cannot be found') missing.push(`${method} ${path}`);
	}
	return missing;
}

/** A configuration with a role that has a permission. */
const withRole = (permission: string) => `rbac: {
	enable: true,
	roles: [{ name: "some", permission_grants: [{ permission_types: ["${permission}"] }] }],
	assignments: [{ username: "admin", roles: ["admin"] }],
},`;

/** Waits for the end of an execution, and returns it. */
async function toEnd({ followOutput, executions }: Client, id: string): Promise<ExecutionRecord> {
	for await (const _chunk of followOutput(id));
	return executions.get(id);
}

const toTexts = (findings: readonly Finding[]) =>
	findings.map(({ path, message, hint }) => `${path}: ${message}${hint === undefined ? "" : `; hint: ${hint}`}`);

for (const leftOut of [[], ...featureCalls.map((feature) => [feature]), featureCalls]) {
	const given = featureCalls.filter((feature) => !leftOut.includes(feature));
	test(`a service without ${leftOut.join(", ") || "nothing"} starts, and has no route of what it is without`, () =>
		withSite(async (site) => {
			const options = { features: given, level: "info" };
			const plan = await site.plan(options);
			assert.deepEqual([plan.would_start, plan.problems], [true, []]);
			await site.serve(options, async (service) => {
				for (const feature of featureCalls) {
					const all = features[feature].routes.map(({ method, path }) => `${method} ${path}`);
					assert.deepEqual(await findMissingRoutes(service, feature), leftOut.includes(feature) ? all : [], feature);
				}
				assert.equal((await service.client.actions.get("hello.greet")).ref, "hello.greet");
				const page = await (await fetch(`${service.api}/`, { headers: { accept: "text/html" } })).text();
				assert.equal(page.includes('<div id="app">'), !leftOut.includes("webUi()"));
				const lines = service.log().filter((line) => line.includes(leftOutLine));
				assert.equal(lines.length, leftOut.length === 0 ? 0 : 1, lines.join("\n"));
				for (const feature of featureCalls) assert.equal(lines.join("").includes(feature), leftOut.includes(feature), lines.join("\n"));
			});
		}));
}

for (const [feature, { permission }] of Object.entries(features)) {
	if (permission === undefined) continue;
	test(`a role cannot have a permission of ${feature} in a service without it`, () =>
		withSite(async (site) => {
			const members = withRole(permission);
			assert.deepEqual((await site.plan({ members })).problems, []);
			const features = featureCalls.filter((each) => each !== feature);
			const { would_start, problems } = await site.plan({ members, features });
			assert.equal(would_start, false);
			assert.match(toTexts(problems).join("\n"), new RegExp(`"${permission}" is not a permission`));
			await assert.rejects(
				site.serve({ members, features }, () => assert.fail("it has started")),
				new RegExp(`did not start: (.|\n)*"${permission}" is not a permission`),
			);
		}));
}

test("options of a feature that is left out are refused, and the message says how to add it", () =>
	withSite(async (site) => {
		const refused: readonly (readonly [SiteOptions, string, string])[] = [
			[{ members: "audit: { keep_days: 7 }," }, 'audit: the feature "audit" is not listed in features', "audit"],
			[
				{ environment: { SVC_AUDIT_KEEP_DAYS: "7" } },
				'environment variable SVC_AUDIT_KEEP_DAYS: the feature "audit" is not listed in features',
				"audit",
			],
			[{ members: "workers: { lease: 30 }," }, 'workers: the feature "workers" is not listed in features', "workers"],
			[
				{ members: 'packs: [{ git: "https://git.example/disk" }],' },
				'packs[0]: the feature "packInstaller" is not listed in features',
				"pack-installer",
			],
		];
		for (const [options, problem, folder] of refused) {
			const { problems } = await site.plan({ ...options, features: [] });
			const [text = ""] = toTexts(problems);
			assert.ok(text.startsWith(`${problem}; hint: add `), text);
			assert.ok(text.endsWith(`() of svc-automation/plugins/feature-${folder} to features`), text);
			await assert.rejects(
				site.serve({ ...options, features: [] }, () => assert.fail("it has started")),
				(error: Error) => error.message.includes(problem),
			);
		}
	}));

test("a pack with an alias and a policy that demands a worker is registered by a service without aliases and workers", () =>
	withSite((site) =>
		site.serve({ features: [] }, async ({ client, log }) => {
			const warnings = log().filter((line) => line.includes('"level":"warn"'));
			assert.ok(
				warnings.some((line) => /files of a pack are not read.*"pack":"hello","folder":"aliases"/.test(line)),
				warnings.join("\n"),
			);
			assert.ok(
				warnings.some((line) => /policies require workers.*"policies":\["hello.far"\]/.test(line)),
				warnings.join("\n"),
			);
			const started = await client.executions.create({ action: "hello.greet" });
			assert.equal((await toEnd(client, started.id)).status, "succeeded");
			assert.equal((await client.rules.get("hello.greet")).enabled, true);
			const { files } = await client.packs.get("hello");
			assert.ok(files.includes("aliases/hello.yaml"));
			const far = await toEnd(client, (await client.executions.create({ action: "hello.lift" })).id);
			assert.equal(far.status, "failed");
			assert.equal(far.result?.["error"], "policies require a worker with the labels far (hello.far), but this service has no workers");
		}),
	));

test("a database of a service with all features works without them, and with them again", () =>
	withSite(async (site) => {
		let before: unknown;
		const read = async ({ client }: ServiceProcess) => ({
			aliases: (await client.aliases.list()).items,
			entries: (await client.audit.list({ verb: "create", limit: -1 })).items,
		});
		await site.serve({}, async (service) => {
			await service.client.aliases.create({ name: "kept", pack: "default", action_ref: "hello.greet", formats: ["keep {{ it }}"] });
			before = await read(service);
		});
		const without = await site.plan({ features: [] });
		assert.deepEqual([without.problems, without.storage?.state, without.storage?.changes], [[], "ready", []]);
		await site.serve({ features: [] }, async ({ client }) => {
			await client.keys.set("while_away", { value: "1" });
		});
		const again = await site.plan({});
		assert.deepEqual([again.problems, again.storage?.state, again.storage?.changes], [[], "ready", []]);
		await site.serve({}, async (service) => {
			assert.deepEqual(await read(service), before);
			const verified = await site.ask(service, "audit", "verify");
			assert.equal(verified.exitCode, 0, verified.stdout + verified.stderr);
		});
	}));

/** Commands that call routes of a feature, and the start of the message in a service without it. */
const commands: readonly (readonly [FeatureCall, readonly string[]])[] = [
	["audit()", ["audit", "list"]],
	["audit()", ["audit", "export"]],
	["audit()", ["audit", "checkpoint"]],
	["audit()", ["audit", "verify"]],
	["aliases()", ["action-alias", "list"]],
	["aliases()", ["action-alias", "get", "hello.hello"]],
	["aliases()", ["action-alias", "enable", "hello.hello"]],
	["aliases()", ["action-alias", "delete", "hello.hello"]],
	["aliases()", ["action-alias", "match", "hello"]],
	["aliases()", ["action-alias", "execute", "hello"]],
	["workers()", ["worker", "list"]],
	["workers()", ["worker", "get", "far"]],
	["packInstaller()", ["pack", "search", "disk"]],
	["packInstaller()", ["pack", "show", "disk"]],
	["packInstaller()", ["pack", "install", "disk"]],
	["packInstaller()", ["pack", "upgrade", "--all"]],
	["packInstaller()", ["pack", "remove", "hello"]],
	["packInstaller()", ["pack", "rollback", "hello"]],
	["packInstaller()", ["pack", "outdated"]],
	["packInstaller()", ["pack", "followed"]],
	["packInstaller()", ["pack", "lock"]],
];

test("a command for a feature that the service does not have says so, and how to add it", () =>
	withSite((site) =>
		site.serve({ features: [] }, async (service) => {
			for (const [feature, words] of commands) {
				const { exitCode, stdout, stderr } = await site.ask(service, ...words);
				const name = feature.replace("()", "");
				assert.ok(
					stderr.startsWith(`error: this service does not have the feature "${name}"; add ${feature} of svc-automation/plugins/feature-`),
					stderr,
				);
				assert.deepEqual([exitCode, stdout], [2, ""]);
			}
			const unknown = await site.ask(service, "pack", "get", "nothing");
			assert.equal(unknown.exitCode, 2);
			assert.doesNotMatch(unknown.stderr, /feature/);
			const { key } = await service.client.apiKeys.create({});
			const env = { SVC_API_URL: `${service.api}/v1`, SVC_API_KEY: String(key) };
			const worker = await site.svc(env, "worker", "--labels", "far", "--config", "svc.config.mjs");
			assert.equal(worker.exitCode, 2);
			assert.match(worker.stderr, /^error: this service does not have the feature "workers"; add workers\(\) of /m);
		}),
	));

test.run();
