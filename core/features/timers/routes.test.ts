import * as assert from "node:assert/strict";
import { test } from "uvu";
import { until } from "../../testing/guarantees/until.test-support.ts";
import { withService } from "../../testing/http/service.test-support.ts";

const timer = { type: "core.svc.IntervalTimer", parameters: { unit: "hours", delta: 1 } };

test("a timer shows when it fires next only while an enabled rule acts on it", () =>
	withService(async ({ ask }) => {
		const rule = (name: string, enabled: boolean) => ({ name, pack: "default", enabled, trigger: timer, action: { ref: "default.speak" } });
		const send = async (method: string, path: string, body?: object) =>
			assert.ok((await ask(path, { method, ...(body && { body: JSON.stringify(body) }) })).ok, `${method} ${path}`);
		const read = async () => {
			const [listed] = (await (await ask("/v1/timers")).json()) as readonly {
				readonly ref: string;
				readonly next_fire_at: string | null;
			}[];
			const shown = (await (await ask(`/v1/timers/${listed?.ref}`)).json()) as typeof listed;
			assert.deepEqual(shown, listed);
			return listed?.next_fire_at;
		};
		await send("POST", "/v1/rules", rule("one", true));
		await send("POST", "/v1/rules", rule("two", false));
		const next = await until("a time for the timer", 20, async () => (await read()) ?? undefined);
		await send("PUT", "/v1/rules/default.one", rule("one", false));
		assert.equal(await read(), null, "every rule is disabled");
		await send("PUT", "/v1/rules/default.two", rule("two", true));
		assert.equal(await read(), next);
	}));

test("a timer names itself and its rules", () =>
	withService(async ({ ask }) => {
		const rule = (name: string, trigger: object) => ({ name, pack: "default", trigger, action: { ref: "default.speak" } });
		const nightly = { type: "core.svc.CronTimer", parameters: { cron: "0 3 * * *", timezone: "Europe/Berlin" } };
		for (const [name, trigger] of [
			["two", timer],
			["one", timer],
			["night", nightly],
		] as const)
			assert.equal((await ask("/v1/rules", { method: "POST", body: JSON.stringify(rule(name, trigger)) })).status, 201);
		await ask("/v1/triggers", {
			method: "POST",
			body: JSON.stringify({ name: "alone", pack: "default", ...timer, parameters: { unit: "seconds", delta: 5 } }),
		});
		const read = async (path: string) => (await (await ask(path)).json()) as { ref: string; title: string; rules: readonly string[] };
		const timers = (await read("/v1/timers")) as unknown as readonly Awaited<ReturnType<typeof read>>[];
		const named = timers.map(({ title, rules }) => [title, rules] as const).sort();
		assert.deepEqual(named, [
			["cron 0 3 * * * Europe/Berlin", ["default.night"]],
			["every 5 seconds", []],
			["every hour", ["default.one", "default.two"]],
		]);
		for (const one of timers) assert.deepEqual(await read(`/v1/timers/${one.ref}`), one);
	}));

test("a timer that no rule names shows no next time", () =>
	withService(async ({ ask }) => {
		const created = await ask("/v1/triggers", { method: "POST", body: JSON.stringify({ name: "alone", pack: "default", ...timer }) });
		assert.equal(created.status, 201);
		const { next_fire_at } = (await (await ask("/v1/timers/default.alone")).json()) as { next_fire_at: unknown };
		assert.equal(next_fire_at, null);
	}));

test.run();
