import * as assert from "node:assert/strict";
import { test } from "uvu";
import { withGuardedService } from "../../testing/http/guarded-service.test-support.ts";
import { chatty } from "../../testing/web/chatty.test-support.ts";

interface Lines {
	readonly total: number;
	readonly event_id: string | null;
	readonly last_line_open: boolean;
	readonly next_line: number | null;
	readonly lines: readonly { readonly line: number; readonly output_type: string; readonly text: string; readonly length: number }[];
}

test("lines of an output are told with their number, and how many there are; where to go on is said", () =>
	withGuardedService(
		async ({ ask, signIn, run, urls }) => {
			const root = await signIn("root");
			await ask(root, "POST", "/v1/actions", { name: "chatty", runner_type: "chatty" });
			// What ends like a secret begins is printed once more has come: no token begins with a "p".
			const id = await run(root, "default.chatty", { lines: 12_000, text: "no stop", errors: "it broke\nagain" });
			const read = async (query: string) => (await ask(root, "GET", `/v1/executions/${id}/output/lines${query}`)).body as unknown as Lines;
			const first = await read("");
			assert.deepEqual([first.total, first.next_line, first.lines.length, first.event_id], [12_002, 101, 100, null]);
			const middle = await read("?from_line=7000&lines=2");
			assert.deepEqual(
				middle.lines.map(({ line, text, length }) => [line, text, length]),
				[
					[7_000, "line 7000 of the output", 23],
					[7_001, "line 7001 of the output", 23],
				],
			);
			const last = await read("?from_line=12001");
			assert.deepEqual([last.next_line, last.lines.map(({ text }) => text)], [null, ["no stopit broke", "again"]]);
			assert.equal(last.last_line_open, true);
			const rest = await fetch(`${urls.stream}/executions/${id}/output?last_event_id=${last.event_id}`, {
				headers: { "x-auth-token": root },
			});
			assert.doesNotMatch(await rest.text(), /^data: /m);
			const errors = await read("?output_type=stderr");
			assert.deepEqual([errors.total, errors.lines.map(({ line, text }) => `${line} ${text}`)], [2, ["1 it broke", "2 again"]]);
			const found = await read("?find=line%20777&lines=3");
			assert.deepEqual(
				found.lines.map(({ line }) => line),
				[777, 7_770, 7_771],
			);
			assert.equal((await read(`?find=line%20777&from_line=${found.next_line}`)).lines[0]?.line, 7_772);
			assert.deepEqual(
				(await read("?trouble=true")).lines.map(({ line }) => line),
				[12_002],
			);
			assert.deepEqual((await read("?from_line=99999")).lines, []);
			for (const [query, fault] of [
				["?lines=1001", /^lines: must be at most 1000$/],
				["?lines=0", /^lines: must be at least 1$/],
				["?from_line=0", /^from_line: must be at least 1$/],
				["?output_type=loud", /^output_type: "loud" must be one of stdout, stderr, other, all$/],
				["?find=a&trouble=true", /^trouble: cannot be used together with find$/],
			] as const) {
				const { status, body } = await ask(root, "GET", `/v1/executions/${id}/output/lines${query}`);
				assert.equal(status, 400, query);
				assert.match(String(body["faultstring"]), fault);
			}
		},
		{ runners: [chatty()] },
	));

test.run();
