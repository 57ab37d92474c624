import * as assert from "node:assert/strict";
import { test } from "uvu";
import { runSvc } from "../../plugins/_shipped/run-svc.ts";
import { CapturedText } from "../testing/cli/captured-text.test-support.ts";
import { type GuardedService, withGuardedService } from "../testing/http/guarded-service.test-support.ts";

const names = ["a", "b", "c", "d", "e"];
const rbac = { assignments: [{ username: "olga", roles: ["observer"] }] };

/** Runs `svc` as a user who is not an administrator. Returns the refs of the records that it prints. */
async function list(service: GuardedService, ...words: readonly string[]): Promise<readonly string[]> {
	const [stdout, stderr] = [new CapturedText(), new CapturedText()];
	const env = { HOME: service.directory, SVC_API_URL: service.urls.api, SVC_AUTH_TOKEN: await service.signIn("olga") };
	assert.equal(await runSvc([...words, "-j"], { stdout, stderr, env }), 0, stderr.text);
	return (JSON.parse(stdout.text) as readonly { readonly ref: string }[]).map(({ ref }) => ref).sort();
}

test("lists of policies and aliases are whole for a user who may read only small pages", () =>
	withGuardedService(
		async (service) => {
			const root = await service.signIn("root");
			for (const name of names) {
				const action = { name, runner_type: "speak", pack: "default" };
				assert.equal((await service.ask(root, "POST", "/v1/actions", action)).status, 201);
				const policy = {
					name,
					pack: "default",
					resource_ref: `default.${name}`,
					policy_type: "action.concurrency",
					parameters: { threshold: 1 },
				};
				assert.equal((await service.ask(root, "POST", "/v1/policies", policy)).status, 201);
				const alias = { name, pack: "default", action_ref: `default.${name}`, formats: [`say ${name}`] };
				assert.equal((await service.ask(root, "POST", "/v1/actionalias", alias)).status, 201);
			}
			const refs = names.map((name) => `default.${name}`);
			assert.deepEqual(await list(service, "policy", "list"), refs);
			assert.deepEqual(await list(service, "action-alias", "list"), refs);
		},
		{ rbac, api: { max_page_size: 2 } },
	));

test.run();
