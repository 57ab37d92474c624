import * as assert from "node:assert/strict";
import { test } from "uvu";
import { until } from "../../core/testing/guarantees/until.test-support.ts";
import type { GuardedService } from "../../core/testing/http/guarded-service.test-support.ts";
import { type Ask, withAliasService } from "./aliases.test-support.ts";

type Members = Readonly<Record<string, unknown>>;

interface Bridge {
	readonly ask: Ask;
	readonly service: GuardedService;
	/** What has been announced on a route since the test began. */
	heard(route: string): readonly Members[];
	/** The next announcement on a route. */
	hears(route: string): Promise<Members>;
}

/** Follow the general stream like a bridge. */
const withBridge = (name: string, run: (bridge: Bridge) => Promise<void>, username = "root") =>
	test(name, () =>
		withAliasService(async (ask, service) => {
			const over = new AbortController();
			const headers = { "x-auth-token": await service.signIn(username) };
			const response = await fetch(`${service.urls.stream}/stream?events=svc.announcement__*`, { headers, signal: over.signal });
			let text = "";
			const reading = (async () => {
				for await (const piece of response.body ?? []) text += Buffer.from(piece).toString();
			})().catch(() => undefined);
			const heard = (route: string) =>
				[...text.matchAll(/^event: svc\.announcement__(\S+)\n(?:id:.*\n)?data: (.*)$/gm)].flatMap(([, to, data]) =>
					to === route ? [(JSON.parse(String(data)) as { payload: Members }).payload] : [],
				);
			try {
				await run({ ask, service, heard, hears: (route) => until(`something on ${route}`, 20, async () => heard(route)[0]) });
			} finally {
				over.abort();
				await reading;
			}
		}),
	);

const asked = { name: "sweep", format: "sweep <volume>", source_channel: "ops", notification_route: "chatops" };

withBridge(
	"what has come of a command is announced with the text of the alias, and what the chat gave comes back",
	async ({ ask, hears }) => {
		const source_context = { room: "ops", braces: "{{ svckv.system.x }} {% raw %}", deep: [{ a: null, b: "ä\n“x”" }], "{{ key }}": 1 };
		const { status } = await ask("POST", "/aliasexecution", { ...asked, command: "sweep /data", user: "maria", source_context });
		assert.equal(status, 201);
		assert.deepEqual(await hears("chatops"), {
			message: "Done.",
			channel: "ops",
			user: "maria",
			whisper: false,
			context: source_context,
			extra: {},
		});
	},
);

withBridge("a result is a template of the execution, with data for the chat; nothing within it is one", async ({ ask, hears }) => {
	const result = {
		format: "{{ execution.result.note }} is {{ execution.status }}{~}by {{ actionalias.name }}",
		extra: { slack: { color: "{{ 'good' if execution.status == 'succeeded' else 'danger' }}" } },
	};
	await ask("POST", "/actionalias", { name: "note", action_ref: "disk.sweep", formats: ["note {{ note }}"], result });
	const braces = "{{ execution.id }}";
	await ask("POST", "/aliasexecution/match_and_execute", {
		command: `note "${braces}"`,
		source_channel: "#a b",
		notification_route: "chatops",
	});
	const { message, extra, channel, user } = await hears("chatops");
	assert.deepEqual([message, extra, channel, user], [`${braces} is succeeded{~}by note`, { slack: { color: "good" } }, "#a b", ""]);
});

withBridge("without a format the status and the result are said, and secrets are masked in both", async ({ ask, hears }) => {
	const alias = { name: "pin", action_ref: "disk.sweep", formats: ["pin {{ pin }}"], immutable_parameters: { volume: "/" } };
	await ask("POST", "/actionalias", alias);
	await ask("POST", "/aliasexecution/match_and_execute", {
		command: "pin swordfish",
		source_channel: "ops",
		notification_channel: "chatops",
	});
	const { message } = await hears("chatops");
	assert.match(String(message), /^disk\.sweep: succeeded\n\{\n {2}"volume": "\/"/);
	assert.match(String(message), /"pin": "\*{8}"/);
	assert.ok(!String(message).includes("swordfish"));
});

withBridge("an alias says nothing of the end where it is told not to, nor where nobody asked", async ({ ask, service, heard, hears }) => {
	await ask("POST", "/actionalias", { name: "hush", action_ref: "disk.sweep", formats: ["hush {{ volume }}"], result: { enabled: false } });
	const said = { source_channel: "ops" };
	await ask("POST", "/aliasexecution/match_and_execute", { ...said, command: "hush /a", notification_route: "chatops" });
	// Its action's own notification counts then, which is no chat's.
	await ask("POST", "/aliasexecution/match_and_execute", { ...said, command: "sweep /b" });
	await service.run(await service.signIn("root"), "disk.sweep", {});
	const posted = async () => (await ask("GET", "/executions?action=chatops.post_result&status=succeeded")).body as unknown as Members[];
	const [first] = await until("the rule to act", 20, async () => ((await posted()).length > 0 ? await posted() : undefined));
	assert.deepEqual(first?.["result"], { said: false });
	await ask("POST", "/aliasexecution", { ...asked, command: "sweep /c" });
	assert.equal((await hears("chatops"))["message"], "Done.");
	assert.equal(heard("chatops").length, 1);
	// The chat hears it while the action that says it is still running.
	const both = await until("the second to end", 20, async () => ((await posted()).length > 1 ? await posted() : undefined));
	assert.equal(both.length, 2);
});

withBridge("a format of the result that cannot be rendered is said", async ({ ask, hears }) => {
	await ask("POST", "/actionalias", {
		name: "bad",
		action_ref: "disk.sweep",
		formats: ["bad {{ volume }}"],
		result: { format: "{{ execution.result.gone.x }}" },
	});
	await ask("POST", "/aliasexecution/match_and_execute", { command: "bad x", source_channel: "ops", notification_route: "chatops" });
	assert.match(String((await hears("chatops"))["message"]), /^format cannot be rendered: /);
});

withBridge("the rule that brings answers can be switched off, and a start leaves it so", async ({ ask }) => {
	const { body } = await ask("GET", "/rules/chatops.notify");
	assert.deepEqual([body["enabled"], (body["context"] as Members)["user"]], [true, "svc"]);
	assert.equal((await ask("PUT", "/rules/chatops.notify", { ...body, enabled: false })).body["enabled"], false);
});

/** Have two people ask for the same, and say something to everybody. */
async function askTwice({ service, ask, hears }: Bridge): Promise<void> {
	const say = { action: "core.announcement", parameters: { message: { text: "for all" }, route: "open" } };
	for (const [username, route] of [
		["root", "roots"],
		["follower", "own"],
	] as const) {
		const body = { ...asked, notification_route: route, command: "sweep /data" };
		assert.equal((await service.ask(await service.signIn(username), "POST", "/v1/aliasexecution", body)).status, 201);
		assert.equal((await ask("POST", "/executions", say)).status, 201);
		await hears("open");
	}
}

withBridge(
	"an answer reaches those who may view what it tells of, and the account that has asked; what is said to all reaches all",
	async (bridge) => {
		await askTwice(bridge);
		assert.equal((await bridge.hears("own"))["message"], "Done.");
		const marker = { ...asked, notification_route: "last", command: "sweep /data" };
		const follower = await bridge.service.signIn("follower");
		assert.equal((await bridge.service.ask(follower, "POST", "/v1/aliasexecution", marker)).status, 201);
		await bridge.hears("last");
		await until("the answer for root", 20, async () => {
			const { body } = await bridge.ask("GET", "/executions?action=chatops.post_result&status=succeeded&limit=10");
			return (body as unknown as Members[]).length >= 3 || undefined;
		});
		assert.deepEqual(bridge.heard("roots"), []);
	},
	"follower",
);

withBridge(
	"an answer to somebody else reaches those who may view its execution",
	async (bridge) => {
		await askTwice(bridge);
		assert.deepEqual([(await bridge.hears("roots"))["message"], (await bridge.hears("own"))["message"]], ["Done.", "Done."]);
	},
	"viewer",
);

test.run();
