import * as assert from "node:assert/strict";
import { inspect } from "node:util";
import { rounds } from "../../core/testing/extent.test-support.ts";
import { createRunContext, silentLogger } from "../../core/testing/run-context.ts";
import { ContainerRun } from "../_container/container-run.ts";
import { type ContainerView, Engine } from "../_container/engine.ts";
import { EngineClient } from "../_container/engine-client.ts";
import type { Registry } from "../_container/registry.test-support.ts";
import { liveactionLabel } from "../_container/run-container.ts";
import type { TestEngine } from "../_container/test-engine.test-support.ts";
import type { ContainerOptions } from "./index.ts";
import { runToEnd, Service, shell } from "./service.test-support.ts";

type RegisterTest = (name: string, run: () => Promise<void>) => void;

/** What holds with each engine, whoever made it. */
export function testEngine(test: RegisterTest, name: string, start: () => Promise<TestEngine>): void {
	test(`${name}: channels are apart, the exit code is the container's own, and nothing is left`, async () => {
		const engine = await start();
		const { result } = await runToEnd(engine, shell("echo out; echo err >&2; exit 3"));
		assert.deepEqual(result, { failed: true, succeeded: false, return_code: 3, stdout: "out", stderr: "err" });
		assert.deepEqual([await engine.jobs(), await engine.volumes()], [[], []]);
	});

	test(`${name}: no rights, no network, no more memory than it asked for, and files that cannot be changed`, async () => {
		const looks = [
			"grep -E '^(CapEff|CapBnd|NoNewPrivs):' /proc/self/status",
			"id -u; ls /sys/class/net",
			"cat /sys/fs/cgroup/memory/memory.limit_in_bytes /sys/fs/cgroup/memory.max 2>/dev/null",
			"touch /new 2>/dev/null || echo read-only; touch /tmp/new && echo written",
		];
		const { text } = await runToEnd(await start(), shell(looks.join("; "), { user: "1000:1000", memory: "48m" }));
		const none = "0000000000000000";
		assert.deepEqual(text.replaceAll("\t", " ").trim().split("\n"), [
			...[`CapEff: ${none}`, `CapBnd: ${none}`, "NoNewPrivs: 1", "1000", "lo", String(48 * 1024 * 1024), "read-only", "written"],
		]);
	});

	test(`${name}: the token of the run stands in no variable, and only who asks for it has the file`, async () => {
		const engine = await start();
		const environment = { SVC_ACTION_AUTH_TOKEN: "t0ken-of-the-run", SVC_ACTION_EXECUTION_ID: "1" };
		const look = "env | grep -c t0ken; echo $SVC_ACTION_EXECUTION_ID; cat $SVC_ACTION_AUTH_TOKEN_FILE </dev/null";
		assert.equal((await runToEnd(engine, { ...shell(look), environment })).text, "0\n1\n");
		assert.equal((await runToEnd(engine, { ...shell(look, { service_token: true }), environment })).text, "0\n1\nt0ken-of-the-run");
		assert.deepEqual(await engine.volumes(), []);
	});

	test(`${name}: output is told as it comes, and a cancel ends the container`, async () => {
		const engine = await start();
		await Service.with({ host: engine.host, stop_grace: 1 }, async (service) => {
			const run = service.begin(shell("trap 'echo ending; exit 9' TERM; echo ready; while :; do usleep 10000; done"));
			await run.context.waitFor("stdout", "ready\n");
			run.context.abort("cancel");
			const { succeeded, result } = await run.end;
			assert.deepEqual([succeeded, result["stdout"], result["return_code"]], [false, "ready\nending", 9]);
			await service.runner.afterRun?.(run.context);
			assert.deepEqual(await engine.jobs(), []);
		});
	});

	testBeginnings(test, name, start);
}

/** Whether a container has begun, as each engine tells it in its own way. */
function testBeginnings(test: RegisterTest, name: string, start: () => Promise<TestEngine>): void {
	test(`${name}: a container that has ended is not begun again by whoever did not hear that it had begun`, async () => {
		const engine = await start();
		const before = await engine.accepted();
		await Service.with({ host: engine.host }, async (service) => {
			await engine.loseNextAnswer([{ path: "/start", cuts: true }]);
			const run = service.begin(shell("echo once"));
			const isOver = async () => (await engine.engine.look(`svc-${run.context.liveaction_id}`))?.phase === "ended";
			while (!(await isOver())) await new Promise((resolve) => setTimeout(resolve, 20));
			await engine.restore();
			assert.equal((await run.end).succeeded, true);
			assert.equal(run.context.text("stdout"), "once\n");
			assert.equal((await engine.accepted()) - before, 1);
			await service.runner.afterRun?.(run.context);
		});
	});

	test(`${name}: a request to begin that arrives when the run has ended begins nothing`, async () => {
		const engine = await start();
		const before = await engine.accepted();
		await Service.with({ host: engine.host }, async (service) => {
			const given = shell("echo once");
			const killed = service.begin(given, 3);
			await killed.death;
			// As if the service had been killed a moment later, and as if a line had swallowed what the next one asks for first.
			await engine.loseNextAnswer([{ path: "/start", isHeld: true }]);
			await service.restart();
			const { context, end } = await service.recover(given, killed.context);
			assert.deepEqual([end?.succeeded, context.text("stdout")], [true, "once\n"]);
			assert.match(String(await engine.deliver()), / 404 /);
			assert.equal((await engine.accepted()) - before, 1);
			assert.equal((await engine.engine.look(`svc-${context.liveaction_id}`))?.phase, "ended");
			await service.runner.afterRun?.(context);
		});
	});

	test(`${name}: a container that has begun and ended just before it was removed is known to have begun`, async () => {
		const { engine, image, socketPath } = await start();
		const make = async (name: string) => {
			await engine.create(name, toBody(image, name), new AbortController().signal);
			return (await engine.look(name)) as ContainerView;
		};
		const [begun, unbegun] = [await make("begun"), await make("unbegun")];
		await engine.start(begun.id, new AbortController().signal);
		await engine.wait(begun.id, new AbortController().signal);
		for (const { id } of [begun, unbegun]) await engine.removeIdle(id);
		assert.deepEqual([await engine.hasBegun(begun), await engine.hasBegun(unbegun)], [true, false]);
		const late = new Engine(new LateClient({ socketPath }));
		assert.deepEqual([await late.hasBegun(begun), await late.hasBegun(unbegun)], [true, false]);
	});
}

/**
 * What becomes of a container whose service dies. The runner decides that, on top of what `testEngine` states of each engine: one engine will
 * do. `container-lasting.test.ts` has a service that is killed before its container begins.
 */
export function testDeaths(test: RegisterTest, name: string, start: () => Promise<TestEngine>): void {
	test(`${name}: a service that is killed while it replaces what may have been asked to begin leaves it to the next one`, async () => {
		const engine = await start();
		await Service.with({ host: engine.host }, async (service) => {
			const given = shell("echo once");
			// Before or after each of the three states that it saves, in turn by the day; `KILL_ROUNDS=2` tries both.
			const today = Math.floor(Date.now() / 86_400_000);
			const isTried = (dieAt: number) => rounds({ short: 1, full: 1 }) > 1 || (dieAt + today) % 2 === 0;
			for (const dieAt of [1, 2, 3, 4, 5, 6].filter(isTried)) {
				const before = await engine.accepted();
				// Made, and perhaps asked.
				const first = service.begin(given, 4);
				await first.death;
				await service.restart();
				const second = service.goOn(given, first.context, dieAt);
				await second.death;
				await service.restart();
				const { context, end } = await service.recover(given, second.context, second.context.savedState() ?? first.context.savedState());
				assert.deepEqual([end?.succeeded, context.text("stdout")], [true, "once\n"], `killed at ${dieAt}: ${JSON.stringify(end?.result)}`);
				assert.equal((await engine.accepted()) - before, 1);
				await service.runner.afterRun?.(context);
			}
		});
	});

	test(`${name}: what a service that is dead has asked for may arrive while the next one looks, and begins nothing twice`, async () => {
		const { engine, client, image } = await start();
		await Service.with({}, async ({ runner }) => {
			for (const begins of [true, false]) {
				const context = createRunContext(runner, shell("true"));
				const name = `svc-${context.liveaction_id}`;
				const body = toBody(image, context.liveaction_id);
				await engine.create(name, body, context.signal);
				const { id, since } = (await engine.look(name)) as ContainerView;
				const late = new LateRequests(client, id, begins);
				const prepare = async () => ({ image, pull: "never", body }) as const;
				const parts = { logger: silentLogger, context, name, place: "here", grace: 1, prepare, onImagePull: async () => {} };
				const state = { container: name, engine: "here", phase: "replacing", replaced: { id, since } };
				const end = await new ContainerRun({ engine: late, ...parts }).recover(state);
				assert.equal(typeof end === "object" ? end.exitCode : end, begins ? "gone" : 0);
				assert.equal((await engine.look(name))?.phase, begins ? undefined : "ended");
				await engine.remove(name);
			}
		});
	});

	test(`${name}: a container that is taken away while no service runs fails its run, unless another engine may have it`, async () => {
		const engine = await start();
		await Service.with({ host: engine.host }, async (service) => {
			const given = shell("echo ready; exec sleep 600");
			const run = service.begin(given);
			await run.context.waitFor("stdout", "ready\n");
			await service.restart();
			run.context.abort("shutdown");
			for (const job of await engine.jobs()) await engine.takeAway(job);
			const { end } = await service.recover(given, run.context);
			assert.deepEqual([end?.succeeded, end?.status, end?.result["stdout"]], [false, undefined, "ready"]);
			assert.equal(end?.result["error"], "the container was removed by another client");
			const elsewhere = { ...run.context.savedState(), engine: "unix://other/var/run/docker.sock" };
			assert.equal((await service.recover(given, run.context, elsewhere)).end, undefined);
		});
	});

	test(`${name}: a container whose run ends while the engine cannot be reached is removed when it can be`, async () => {
		const engine = await start();
		await Service.with({ host: engine.host }, async (service) => {
			const run = service.begin(shell("true"));
			await run.end;
			await engine.cutOff();
			await service.runner.afterRun?.(run.context);
			assert.equal((await engine.jobs()).length, 1);
			await engine.restore();
			while ((await engine.jobs()).length > 0) await new Promise((resolve) => setTimeout(resolve, 20));
		});
	});
}

function toBody(image: string, liveactionId: string) {
	return { Image: image, Cmd: ["true"], HostConfig: { NetworkMode: "none" }, Labels: { [liveactionLabel]: liveactionId } };
}

/** An engine that somebody has asked before to remove a container, perhaps also to begin it, which arrives just before it is looked for a second time. */
class LateRequests extends Engine {
	readonly #id: string;
	readonly #begins: boolean;
	#looks = 0;

	constructor(client: EngineClient, id: string, begins: boolean) {
		super(client);
		this.#id = id;
		this.#begins = begins;
	}

	override async look(name: string): Promise<ContainerView | undefined> {
		if (++this.#looks === 2) await this.#arrive(new AbortController().signal);
		return super.look(name);
	}

	async #arrive(signal: AbortSignal): Promise<void> {
		if (this.#begins) {
			await this.start(this.#id, signal);
			await this.wait(this.#id, signal);
		}
		await this.removeIdle(this.#id);
	}
}

/** Images of a registry that asks for a password. */
export function testPulls(test: RegisterTest, name: string, start: () => Promise<{ engine: TestEngine; registry: Registry }>): void {
	const place = `team/${name.toLowerCase()}`;
	const wrong = { username: "puller", password: "pa55-that-is-wrong" };

	test(`${name}: an image is pulled with the credentials of its registry, as the policy says`, async () => {
		const { engine, registry } = await start();
		const image = await registry.publish(engine, place);
		const before = registry.pulls(place);
		const told = async (pull: string, credentials = registry.credentials) => {
			const registries = { [registry.address]: credentials };
			const ended = await runToEnd(engine, { runnerParameters: { image, cmd: "echo pulled", pull } }, { registries });
			assert.equal(ended.text, "pulled\n");
			return ended.told;
		};
		const pulling = `pulling image ${image}\n`;
		assert.equal(await told("missing"), pulling);
		const first = registry.pulls(place);
		assert.ok(first > before);
		// It is there: nobody is asked.
		assert.equal(await told("missing", wrong), "");
		assert.equal(await told("never", wrong), "");
		assert.equal(registry.pulls(place), first);
		assert.equal(await told("always"), pulling);
		assert.ok(registry.pulls(place) > first, "the registry was not asked again");
		await engine.removeImage(image);
	});

	test(`${name}: an image that may not be pulled fails the run with what the engine says, and no credentials show`, async () => {
		const { engine, registry } = await start();
		const image = await registry.publish(engine, place);
		const cases: readonly (readonly [string, ContainerOptions["registries"], RegExp])[] = [
			["missing", { [registry.address]: wrong }, /cannot be pulled: .*(unauthorized|no basic auth|authentication)/i],
			["always", { "127.0.0.1": registry.credentials }, /cannot be pulled: .*(unauthorized|no basic auth|authentication)/i],
			["never", { [registry.address]: registry.credentials }, /cannot be created: .*no such image/i],
		];
		for (const [pull, registries, message] of cases) {
			await Service.with({ host: engine.host, ...(registries === undefined ? {} : { registries }) }, async (service) => {
				const run = service.begin({ runnerParameters: { image, cmd: "true", pull } });
				const error: unknown = await run.end.catch((failure: unknown) => failure);
				assert.match(String(error), message);
				assert.equal((error as { code?: unknown }).code, "SVC_RUNNER");
				await service.runner.afterRun?.(run.context);
				const shown = inspect([error, run.context.chunks, run.context.savedState(), service.logged], { depth: 9 });
				for (const { username, password } of [wrong, registry.credentials])
					for (const secret of [
						password,
						Buffer.from(`${username}:${password}`).toString("base64"),
						Buffer.from(password).toString("base64"),
					])
						assert.ok(!shown.includes(secret), `${secret} in ${shown}`);
			});
		}
		assert.deepEqual(await engine.jobs(), []);
	});
}

/** Its requests for events reach the engine two seconds late, as those of a machine that is busy may. */
class LateClient extends EngineClient {
	override async stream(call: Parameters<EngineClient["stream"]>[0]): ReturnType<EngineClient["stream"]> {
		if (call.path === "/events") await new Promise((resolve) => setTimeout(resolve, 2_000));
		return super.stream(call);
	}
}
