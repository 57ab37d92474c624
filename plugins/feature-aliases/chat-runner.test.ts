import * as assert from "node:assert/strict";
import { test } from "uvu";
import { until } from "../../core/testing/guarantees/until.test-support.ts";
import type { GuardedService } from "../../core/testing/http/guarded-service.test-support.ts";
import { type Ask, withAliasService } from "./aliases.test-support.ts";

type Members = Readonly<Record<string, unknown>>;

interface Actions {
	readonly ask: Ask;
	readonly service: GuardedService;
	/** Run an action of the pack to its end. */
	act(name: string, parameters: object, user?: string): Promise<{ readonly status: unknown; readonly result: Members }>;
}

const withActions = (name: string, run: (actions: Actions) => Promise<void>) =>
	test(name, () =>
		withAliasService(async (ask, service) =>
			run({
				ask,
				service,
				async act(action, parameters, user = "root") {
					const id = await service.run(await service.signIn(user), action.includes(".") ? action : `chatops.${action}`, parameters);
					const { body } = await ask("GET", `/executions/${id}`);
					return { status: body["status"], result: body["result"] as Members };
				},
			}),
		),
	);

withActions("actions and workflows match and run commands", async ({ ask, act }) => {
	const match = await act("match", { text: "clean /data" });
	assert.deepEqual([match.status, match.result["representation"]], ["succeeded", "clean {{ volume }}"]);
	const { result } = await act("match_and_execute", { text: "clean /data", source_channel: "ops", user: "maria" });
	const [started] = result["executions"] as readonly { readonly id: string }[];
	const { context } = (await ask("GET", `/executions/${started?.id}`)).body as { context: Members };
	assert.deepEqual([context["api_user"], context["source_channel"], context["user"]], ["maria", "ops", "root"]);
	const none = await act("match_and_execute", { text: "mop", source_channel: "ops" });
	assert.equal(none.status, "failed");
	assert.match(String(none.result["error"]), /matches no action alias/);
});

withActions("a command that says itself comes to an end, in one trace", async ({ ask, act }) => {
	const alias = {
		name: "again",
		action_ref: "chatops.match_and_execute",
		formats: ["again"],
		immutable_parameters: { text: "again", source_channel: "ops" },
	};
	await ask("POST", "/actionalias", alias);
	const all = async () =>
		(await ask("GET", "/executions?action=chatops.match_and_execute&sort_asc=start_timestamp")).body as unknown as Members[];
	assert.equal((await act("match_and_execute", { text: "again", source_channel: "ops" })).status, "succeeded");
	const failed = await until("the command that is too deep", 20, async () => (await all()).find(({ status }) => status === "failed"));
	assert.match(
		String((failed["result"] as Members)["error"]),
		/commands may be nested at most 3 levels deep; does a command call itself\?/,
	);
	const said = await all();
	assert.equal(said.length, 4);
	assert.deepEqual(
		said.slice(1).map(({ context }) => ((context as Members)["parent"] as Members)["execution_id"]),
		said.slice(0, -1).map(({ id }) => id),
	);
	const [trace = {}] = (await ask("GET", `/traces?execution=${String(said[3]?.["id"])}`)).body as unknown as Members[];
	assert.equal((trace["action_executions"] as unknown[]).length, 4);
});

withActions("what is said of an execution is made for those who may view it", async ({ act, service }) => {
	const root = await service.signIn("root");
	const own = await service.run(root, "disk.sweep", { volume: "/data", pin: "swordfish" });
	const { result } = await act("format_execution_result", { execution_id: own });
	assert.match(String(result["message"]), /^disk\.sweep: succeeded[^]*\/data/);
	assert.ok(!JSON.stringify(result).includes("swordfish"));
	const foreign = await service.run(root, "default.whisper", {});
	for (const action of ["format_execution_result", "post_result"]) {
		const channel = action === "post_result" ? { channel: "ops" } : {};
		const refused = await act(action, { execution_id: foreign, ...channel }, "chatter");
		assert.equal(refused.status, "failed");
		assert.match(String(refused.result["error"]), /user "chatter" does not have the permission "execution_view"/);
		assert.ok(!JSON.stringify(refused).includes("a result kept"));
	}
});

withActions("a command that an action runs takes the right to its action", async ({ act }) => {
	const refused = await act("match_and_execute", { text: "sweep /data", source_channel: "ops" }, "chatter");
	assert.equal(refused.status, "failed");
	assert.match(String(refused.result["error"]), /does not have the permission "action_execute" on "action:disk:sweep"/);
});

withActions("a route is made of words, and the runner is for its own pack alone", async ({ ask, act }) => {
	const route = await act("post_result", { execution_id: "x", channel: "ops", route: "a\nb" });
	assert.equal(route.status, "failed");
	const other = await ask("POST", "/actions", {
		name: "post_result",
		runner_type: "chatops",
		parameters: { execution_id: {}, channel: {} },
	});
	assert.equal(other.status, 400);
	assert.match(String(other.body["faultstring"]), /runner_type: "chatops" runs only actions of built-in packs/);
	assert.equal((await ask("POST", "/actions", { name: "more", pack: "chatops", runner_type: "chatops" })).status, 400);
});

test.run();
