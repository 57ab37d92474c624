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

test("a timer that no rule names shows no next time", () =>
	withService(async ({ ask }) => {
		const created = await ask("/v1/triggers", { method: "POST", body: JSON.stringify({ name: "alone", pack: "default", ...timer }) });
		assert.equal(created.status, 201);
		const { next_fire_at } = (await (await ask("/v1/timers/default.alone")).json()) as { next_fire_at: unknown };
		assert.equal(next_fire_at, null);
	}));

test.run();
