import * as assert from "node:assert/strict";
import { test } from "uvu";
import type { GuardedService } from "../../core/testing/http/guarded-service.test-support.ts";
import { type Answer, type Ask, withAliasService } from "./aliases.test-support.ts";

interface Chat {
	readonly ask: Ask;
	readonly service: GuardedService;
	/** Say something to the service as somebody; `more` is said besides. */
	say(command: string, more?: object, user?: string): Promise<Answer>;
	/** Result of the execution that an answer has started, with secrets. */
	result(answer: unknown): Promise<Readonly<Record<string, unknown>>>;
}

type Members = Readonly<Record<string, unknown>>;

const withChat = (name: string, run: (chat: Chat) => Promise<void>) =>
	test(name, () =>
		withAliasService(async (ask, service) => {
			const root = await service.signIn("root");
			await run({
				ask,
				service,
				say: async (command, more = {}, user = "root") =>
					service.ask(await service.signIn(user), "POST", "/v1/aliasexecution/match_and_execute", {
						command,
						source_channel: "ops",
						...more,
					}),
				async result(answer) {
					const { id } = (answer as { execution: { id: string } }).execution;
					await (await fetch(`${service.urls.stream}/executions/${id}/output`, { headers: { "x-auth-token": root } })).text();
					return (await ask("GET", `/executions/${id}?show_secrets=true`)).body["result"] as Members;
				},
			});
		}),
	);
const first = ({ body }: Answer) => (body["results"] as readonly Members[])[0] as Members;
const faultOf = ({ body }: Answer) => String(body["faultstring"]);

withChat("a command starts its action, cast by the schema, with what is said at once", async ({ say, result }) => {
	const answer = await say("sweep /data hosts=web1,web2 depth=3", { user: "maria" });
	assert.equal(answer.status, 201);
	const started = first(answer);
	const { id, liveaction, context } = started["execution"] as { id: string; liveaction: Members; context: Members };
	assert.equal(started["message"], `Sweeping, id ${id}`);
	assert.ok(!("extra" in started));
	assert.deepEqual(liveaction["parameters"], {
		...{ volume: "/data", hosts: ["web1", "web2"], depth: 3 },
		...{ asked_by: "maria", item: "" },
	});
	const alias = started["actionalias"] as Members;
	assert.deepEqual(
		[context["user"], context["api_user"], context["source_channel"], context["action_alias_ref"]],
		["root", "maria", "ops", { id: alias["id"], name: "sweep" }],
	);
	assert.deepEqual((await result(started))["hosts"], ["web1", "web2"]);
});

withChat("a bridge names the alias and one of its formats", async ({ ask }) => {
	const asked = { name: "sweep", format: "clean {{ volume }}", command: "clean /data", source_channel: "ops" };
	const { status, body } = await ask("POST", "/aliasexecution", asked);
	assert.deepEqual([status, (body["execution"] as Members)["status"]], [201, "requested"]);
	// What a format displays stands for all of its representations.
	assert.equal((await ask("POST", "/aliasexecution", { ...asked, name: "disk.sweep", format: "sweep <volume>" })).status, 201);
	const refused: readonly (readonly [number, object, RegExp])[] = [
		[400, { ...asked, command: "sweep /data" }, /command: "sweep \/data" does not match format "clean \{\{ volume \}\}"/],
		[400, { ...asked, format: "{{ anything }}" }, /format: alias "disk\.sweep" has no format "\{\{ anything \}\}"; its formats are "sweep/],
		[404, { ...asked, name: "mop" }, /action alias "mop" cannot be found/],
		[400, { ...asked, source_context: "x" }, /source_context: must be object/],
		[400, { ...asked, colour: "red" }, /colour: is not allowed here/],
		[400, { ...asked, command: "x".repeat(16_385) }, /command: must have at most 16384 characters/],
	];
	for (const [expected, request, names] of refused) {
		const answer = await ask("POST", "/aliasexecution", request);
		assert.equal(answer.status, expected, JSON.stringify(answer.body));
		assert.match(faultOf(answer), names);
	}
	const alias = (await ask("GET", "/actionalias/disk.sweep")).body;
	await ask("PUT", "/actionalias/disk.sweep", { ...alias, enabled: false });
	assert.deepEqual([(await ask("POST", "/aliasexecution", asked)).status], [400]);
	await ask("PUT", "/actionalias/disk.sweep", { ...alias, enabled: true, action_ref: "disk.gone" });
	assert.equal((await ask("POST", "/aliasexecution", asked)).status, 404);
});

withChat(
	"what is fixed cannot be set, and its templates are rendered with the rights of whoever asks",
	async ({ ask, say, result, service }) => {
		await ask("PUT", "/keys/pin", { value: "a secret of the system", secret: true });
		const alias = {
			name: "fixed",
			action_ref: "disk.sweep",
			formats: ["fix {{ volume }}"],
			immutable_parameters: { note: "{{ volume }}!" },
		};
		await ask("POST", "/actionalias", alias);
		assert.match(faultOf(await say("fix /data note=mine")), /must not set "note", which action alias "default\.fixed" sets/);
		assert.equal((await result(first(await say("fix /data"))))["note"], "/data!");
		await ask("POST", "/actionalias", {
			...alias,
			name: "reads",
			formats: ["read {{ volume }}"],
			immutable_parameters: { note: "{{ svckv.system.pin | decrypt_kv }}" },
		});
		assert.equal((await result(first(await say("read /data"))))["note"], "a secret of the system");
		// The author may read it, and so decides that whoever may run the action passes it on, without seeing it.
		const lent = await say("read /data", {}, "bot");
		assert.equal(lent.status, 201, JSON.stringify(lent.body));
		assert.ok(!JSON.stringify(lent.body).includes("a secret of the system"));
		assert.ok(!service.log.join("").includes("a secret of the system"));
	},
);

withChat("text from a chat is no template, wherever it comes in", async ({ ask, say, result }) => {
	await ask("PUT", "/keys/open", { value: "read by a template" });
	const braces = "{{ svckv.system.open }}";
	const answer = await say(`sweep "${braces}" note="${braces}"`, { user: braces });
	const { volume, note, asked_by } = await result(first(answer));
	assert.deepEqual([volume, note], [braces, braces]);
	assert.equal(asked_by, braces);
	// Nor is what is fixed, once it holds such text.
	const fixed = { note: "{{ volume }}" };
	await ask("POST", "/actionalias", {
		name: "echo",
		action_ref: "disk.sweep",
		formats: ["echo {{ volume }}"],
		immutable_parameters: fixed,
		ack: { format: "{{ execution.parameters.volume }}" },
	});
	const echoed = first(await say(`echo "${braces}"`));
	assert.equal(echoed["message"], braces);
	assert.equal((await result(echoed))["note"], braces);
});

withChat("who may not run the action starts nothing, and learns no names", async ({ ask, say }) => {
	assert.equal((await say("sweep /data", {}, "bot")).status, 201);
	assert.equal((await say("sweep /data", {}, "hal")).status, 403);
	const others = { action_ref: "default.speak", formats: ["whisper {{ pin }}"] };
	for (const name of ["one", "two"]) await ask("POST", "/actionalias", { ...others, name });
	assert.match(faultOf(await say("whisper x", {}, "bot")), /^command: matches 2 action aliases; hint/);
	assert.match(faultOf(await say("whisper x")), /matches 2 action aliases \(default\.one, default\.two\); hint/);
});

withChat("a bridge tells of whoever wrote, and reads their items only as an administrator", async ({ ask, say, result, service }) => {
	await ask("PUT", "/keys/note", { value: "maria's own", scope: "user", user: "maria" });
	await service.ask(await service.signIn("bot"), "PUT", "/v1/keys/note", { value: "the bot's own", scope: "user" });
	assert.equal((await result(first(await say("sweep /data", { user: "maria" }))))["item"], "maria's own");
	const answer = first(await say("sweep /data", { user: "maria" }, "bot"));
	const { context } = answer["execution"] as { context: Members };
	assert.deepEqual([context["user"], context["api_user"], context["item_user"]], ["bot", "maria", "bot"]);
	const { item, asked_by } = await result(answer);
	assert.deepEqual([item, asked_by], ["the bot's own", "maria"]);
	// The member is no way around the rule for executions.
	const bot = await service.signIn("bot");
	const start = (context: object) => service.ask(bot, "POST", "/v1/executions", { action: "disk.sweep", context });
	assert.equal((await start({ api_user: "maria" })).status, 403);
	assert.equal((await start({ api_user: "bot", item_user: "maria" })).status, 403);
	assert.equal((await start({ api_user: "maria", item_user: "bot" })).status, 201);
});

withChat("a command that asks for several executions starts each of them", async ({ ask, say, result }) => {
	const many = {
		name: "many",
		action_ref: "disk.sweep",
		formats: [{ display: "<volumes>", representation: ["(?<volume>/\\w+)"], match_multiple: true }],
	};
	await ask("POST", "/actionalias", many);
	const results = (await say("please look after /data and /home")).body["results"] as readonly Members[];
	assert.deepEqual(await Promise.all(results.map(async (answer) => (await result(answer))["volume"])), ["/data", "/home"]);
	const named = await ask("POST", "/aliasexecution", { name: "many", format: "<volumes>", command: "/a /b", source_channel: "ops" });
	assert.deepEqual([named.status, (named.body["results"] as readonly unknown[]).length], [201, 2]);
	assert.match(faultOf(await say("/a ".repeat(51))), /would start 51 executions; at most 50 are allowed/);
});

withChat("secrets are shown neither in the answer nor in what is said, and asked for by administrators", async ({ ask, say }) => {
	const ack = {
		format: "With {{ execution.parameters.pin }} and {{ actionalias.immutable_parameters }}",
		extra: { told: "{{ execution.parameters.pin }}" },
	};
	const alias = { name: "pin", action_ref: "disk.sweep", formats: ["pin {{ pin }}"], ack };
	await ask("POST", "/actionalias", alias);
	const answer = first(await say("pin swordfish"));
	assert.ok(!JSON.stringify(answer).includes("swordfish"));
	assert.match(String(answer["message"]), /^With \*{8} and/);
	assert.deepEqual(answer["extra"], { told: "********" });
	const { body } = await ask("POST", "/aliasexecution/match_and_execute?show_secrets=true", {
		command: "pin swordfish",
		source_channel: "ops",
	});
	assert.match(String((body["results"] as Members[])[0]?.["message"]), /^With swordfish/);
});

withChat("a format that cannot be rendered says so, and the execution runs all the same", async ({ ask, say }) => {
	const alias = { action_ref: "disk.sweep", ack: { format: "{{ execution.nothing.more }}", extra: { a: "{{ nothing }}" } } };
	await ask("POST", "/actionalias", { ...alias, name: "broken", formats: ["break {{ volume }}"] });
	const answer = await say("break it");
	assert.equal(answer.status, 201);
	assert.match(String(first(answer)["message"]), /^format cannot be rendered: /);
	assert.match(String((first(answer)["extra"] as Members)["error"]), /^extra cannot be rendered: /);
	await ask("POST", "/actionalias", { ...alias, name: "silent", formats: ["hush {{ volume }}"], ack: { enabled: false, format: "never" } });
	assert.ok(!("message" in first(await say("hush it"))));
});

test.run();
