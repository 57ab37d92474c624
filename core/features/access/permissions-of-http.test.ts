import * as assert from "node:assert/strict";
import { test } from "uvu";
import { withGuardedService } from "../../testing/http/guarded-service.test-support.ts";

const rbac = {
	roles: [
		{
			name: "speaker",
			permission_grants: [
				{ resource_uid: "action:default:speak", permission_types: ["action_execute"] },
				{ resource_uid: "pack:ops", permission_types: ["action_view"] },
				{ permission_types: ["execution_list"] },
			],
		},
	],
	assignments: [
		{ username: "ann", roles: ["speaker"] },
		{ username: "olga", roles: ["observer"] },
	],
};

test("everybody is told what they may do, and where, if they ask", () =>
	withGuardedService(
		async ({ ask, signIn }) => {
			const permissionsOf = async (name: string) => {
				const { rbac } = (await ask(await signIn(name), "GET", "/v1/user?permissions=true")).body as {
					readonly rbac: { readonly permissions: Readonly<Record<string, readonly string[]>> };
				};
				return rbac.permissions;
			};
			assert.deepEqual(await permissionsOf("ann"), {
				action_execute: ["action:default:speak"],
				action_view: ["action:default:speak", "pack:ops"],
				execution_list: ["*"],
				execution_rerun: ["action:default:speak"],
				execution_stop: ["action:default:speak"],
				execution_view: ["pack:ops"],
				inquiry_respond: ["action:default:speak"],
				inquiry_view: ["action:default:speak"],
			});
			const olga = await permissionsOf("olga");
			assert.deepEqual([olga["rule_view"], olga["execution_list"], olga["rule_modify"]], [["*"], ["*"], undefined]);
			assert.deepEqual((await permissionsOf("root"))["rule_modify"], ["*"]);
			assert.deepEqual(await permissionsOf("nobody"), {});
			const plain = (await ask(await signIn("ann"), "GET", "/v1/user")).body["rbac"] as object;
			assert.ok(!("permissions" in plain));
		},
		{ rbac },
	));

test("the token that a request is made with is ended by its owner, in a header and as a cookie, and no other", () =>
	withGuardedService(async ({ signIn, urls, ask }) => {
		const [one, two, kept] = [await signIn("root"), await signIn("root"), await signIn("root")];
		const end = (headers: Record<string, string>) => fetch(`${urls.api}/auth/v1/tokens/current`, { method: "DELETE", headers });
		assert.equal((await end({ "x-auth-token": one })).status, 204);
		const asPage = await end({ cookie: `auth-token=${two}`, origin: urls.api });
		assert.equal(asPage.status, 204);
		assert.match(asPage.headers.get("set-cookie") ?? "", /^auth-token=; .*Max-Age=0/);
		assert.equal((await end({ cookie: `auth-token=${kept}`, origin: "https://evil.example" })).status, 403);
		const statuses = await Promise.all([one, two, kept].map(async (token) => (await ask(token, "GET", "/v1/user")).status));
		assert.deepEqual(statuses, [401, 401, 200]);
		assert.equal((await end({})).status, 401);
	}));

test.run();
