// test-suite: full
import * as assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "uvu";
import { SourceBench } from "../../../../plugins/feature-pack-installer/sources/pack-fetcher.test-support.ts";
import { type GuardedService, withGuardedService } from "../../../testing/http/guarded-service.test-support.ts";

const on = (resource_uid: string, ...permission_types: string[]) => ({ resource_uid, permission_types });

const rbac = {
	roles: [
		{
			name: "installer",
			permission_grants: [
				{ permission_types: ["pack_install", "pack_register", "pack_list"] },
				on("pack:packs", "action_execute", "action_view"),
				on("pack:beta", "policy_all", "rule_all", "action_all", "action_alias_all"),
			],
		},
		{ name: "planner", permission_grants: [{ permission_types: ["policy_create"] }] },
	],
	assignments: [
		{ username: "ines", roles: ["installer"] },
		{ username: "pia", roles: ["installer", "planner"] },
	],
};

const manifest = (version: string) => `ref: beta\nname: beta\ndescription: d\nversion: ${version}\nauthor: a\n`;
const policy = (ref: string) => `name: guard\nresource_ref: "${ref}"\npolicy_type: action.workers\nparameters: {labels: [blue]}\n`;
const rule = (action: string, trigger: string) => `name: told\nenabled: true\ntrigger: {type: ${trigger}}\naction: {ref: ${action}}\n`;
const alias = (action: string) => `name: say\naction_ref: ${action}\nformats: ["say it"]\n`;
const own = {
	"beta/pack.yaml": manifest("1.0.0"),
	"beta/actions/sweep.yaml": "name: sweep\nrunner_type: speak\n",
	"beta/triggers/seen.yaml": "name: seen\n",
	"beta/policies/guard.yaml": policy("beta.*"),
	"beta/rules/told.yaml": rule("beta.sweep", "beta.seen"),
	"beta/aliases/say.yaml": alias("beta.sweep"),
};
/** Files that concern what lies outside of their pack, with the permission that each needs. */
const foreign: readonly (readonly [file: string, text: string, permission: string])[] = [
	["policies/guard.yaml", policy("*"), "policy_create"],
	["policies/guard.yaml", policy("alpha.*"), "policy_modify"],
	["rules/told.yaml", rule("default.speak", "beta.seen"), "action_execute"],
	["rules/told.yaml", rule("beta.sweep", "core.svc.generic.actiontrigger"), "trigger_instance_view"],
	["rules/told.yaml", rule("beta.sweep", "core.svc.webhook, parameters: {url: theirs}"), "webhook_create"],
	["rules/told.yaml", rule("beta.sweep", "core.svc.IntervalTimer, parameters: {unit: seconds, delta: 1}"), "timer_create"],
	["aliases/say.yaml", alias("default.speak"), "action_execute"],
];

const recordsOf = async ({ ask }: GuardedService, root: string) => {
	const [policies, rules, aliases] = await Promise.all(
		["policies", "rules", "actionalias"].map(async (path) => (await ask(root, "GET", `/v1/${path}?pack=beta`)).body),
	);
	return JSON.stringify([policies, rules, aliases]);
};

test("who registers a pack needs the permissions on what its new and changed files concern outside of it", () =>
	withGuardedService(
		async (service) => {
			const { ask, signIn, packs } = service;
			const [root, ines, pia] = [await signIn("root"), await signIn("ines"), await signIn("pia")];
			const register = async (token: string, more: object = {}) => ask(token, "POST", "/v1/packs/register", { packs: ["beta"], ...more });
			const before = await recordsOf(service, root);
			for (const [file, text, permission] of foreign) {
				await writeFile(join(packs, "beta", file), text);
				for (const more of [{}, { fail_on_failure: false }]) {
					const refused = await register(ines, more);
					assert.equal(refused.status, 403, `${file}: ${text}`);
					assert.match(String(refused.body["faultstring"]), new RegExp(`"beta": ${file}: .*"${permission}"`));
				}
				await writeFile(join(packs, "beta", file), own[`beta/${file}` as keyof typeof own]);
			}
			assert.equal(await recordsOf(service, root), before);

			// What is there already, as an administrator has accepted it, keeps nobody from registering the rest.
			await writeFile(join(packs, "beta/policies/guard.yaml"), policy("*"));
			assert.equal((await register(root)).status, 200);
			await writeFile(join(packs, "beta/aliases/say.yaml"), `${alias("beta.sweep")}description: other words\n`);
			assert.equal((await register(ines)).status, 200);
			await writeFile(join(packs, "beta/policies/guard.yaml"), policy("beta.*"));
			assert.equal((await register(ines)).status, 403);
			assert.equal((await register(pia)).status, 200);
		},
		{ rbac, packs: own },
	));

test("who installs a pack needs them as well, and installs what concerns the pack alone", async () => {
	const bench = new SourceBench();
	try {
		await withGuardedService(
			async (service) => {
				const { ask, signIn, run } = service;
				const [root, ines, pia] = [await signIn("root"), await signIn("ines"), await signIn("pia")];
				const commit = (version: string, more: Readonly<Record<string, string>>) => {
					for (const [path, text] of Object.entries({ ...own, "beta/pack.yaml": manifest(version), ...more })) bench.write(path, text);
					bench.commit("beta");
					return `file://${bench.root}/beta/.git`;
				};
				const install = async (token: string, address: string) => {
					const id = await run(token, "packs.install", { packs: [address] });
					const { status, result } = (await ask(root, "GET", `/v1/executions/${id}`)).body;
					return `${String(status)} ${JSON.stringify(result)}`;
				};
				assert.match(await install(ines, commit("1.0.0", {})), /^succeeded/);
				for (const [index, [file, text, permission]] of foreign.slice(0, 4).entries()) {
					const outcome = await install(ines, commit(`1.1.${index}`, { [`beta/${file}`]: text }));
					assert.match(outcome, /^failed/, file);
					assert.ok(outcome.includes(permission), outcome);
				}
				assert.match(await install(pia, commit("1.2.0", { "beta/policies/guard.yaml": policy("*") })), /^succeeded/);
			},
			{ rbac },
		);
	} finally {
		bench.remove();
	}
});

test.run();
