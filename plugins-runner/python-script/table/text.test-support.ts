import * as assert from "node:assert/strict";
import type { Check } from "./check.test-support.ts";

/** What must survive the way to the action and back. */
export const unicodeParameters = { name: "ünï 😀 \u2028 日本", unset: null, list: [1, { a: "é" }] };

/** A text of so many characters, six for each byte that an escape might cost. */
export const toLargeText = (size: number) => "é\n'\"\\".repeat(size / 6);

/** Body of `run`: what it sees of the parameter `text`, and 2 MB. */
export const largeUse = "t = parameters['text']\nreturn [len(t), t[:4], t == t[:5] * (len(t) // 5), 'é' * 2000000]";

/** What `largeUse` returns. */
export const toSeenText = (text: string) => [text.length, "é\n'\"", true, "é".repeat(2_000_000)];

export function checkText(check: Check): void {
	for (const [size, name] of [
		[131_072, "131 kB"],
		[1_000_000, "1 MB"],
	] as const) {
		check(`parameters of ${name}, and a result of 2 MB, arrive whole`, async ({ pack, runner }) => {
			const text = toLargeText(size);
			const { result } = await runner.run({ ...pack.body("large", largeUse), actionParameters: { text } });
			assert.deepEqual(result["result"], toSeenText(text));
		});
	}

	check("unset parameters are None and text keeps every character", async ({ pack, runner }) => {
		const options = pack.body("unicode", "print(parameters['name'])\nself.logger.info(parameters['name'])\nreturn parameters");
		const { result } = await runner.run({ ...options, actionParameters: unicodeParameters });
		assert.deepEqual(result["result"], unicodeParameters);
		assert.equal(result["stdout"], `${unicodeParameters.name}\n`);
		assert.equal(result["stderr"], `actions.python.Test: INFO     ${unicodeParameters.name}\n`);
	});

	check("output is streamed line by line in its order, the last one without its end", async ({ pack, runner }) => {
		const body = "for i in range(4):\n    print('line', i)\n    time.sleep(0.1)\nsys.stdout.write('tail')\nreturn 1";
		const { run, result } = await runner.run(pack.body("streams", body));
		const text = run.chunks.map(({ data }) => data).join("");
		assert.equal(text, "line 0\nline 1\nline 2\nline 3\ntail");
		assert.equal(result["stdout"], text);
		// Where the machine is busy a line may come in two pieces; what must not be is all of it at the end.
		assert.ok(run.chunks.length >= 4, JSON.stringify(run.chunks));
	});

	check("a line is there while the action still runs", async ({ pack, runner }) => {
		const run = runner.context(pack.body("live", "print('ready')\nsys.stderr.write('also\\n')\nwhile True: time.sleep(0.01)"));
		const end = runner.run(run);
		await Promise.all([run.waitFor("stdout", "ready\n"), run.waitFor("stderr", "also\n")]);
		run.abort("cancel");
		const { succeeded, result } = await end;
		assert.equal(succeeded, false);
		assert.equal(result["stdout"], "ready\n");
	});

	check("what is printed but is no text is replaced", async ({ pack, runner }) => {
		const { succeeded, result } = await runner.run(
			pack.body("bytes", "sys.stdout.buffer.write(b'a\\xff\\xc3\\n')\nsys.stdout.buffer.flush()\nreturn 1"),
		);
		assert.equal(succeeded, true);
		assert.equal(result["stdout"], "a\ufffd\ufffd\n");
	});

	check("a time-out is told in the result", async ({ pack, runner }) => {
		const run = runner.context({ ...pack.body("slow", "print('begun')\nwhile True: pass"), runnerParameters: { timeout: 7 } });
		const end = runner.run(run);
		await run.waitFor("stdout", "begun\n");
		run.abort("timeout");
		const { succeeded, result } = await end;
		assert.equal(succeeded, false);
		assert.equal(result["result"], "None");
		assert.equal(result["exit_code"], -9);
		assert.equal(result["error"], "Action failed to complete in 7 seconds");
		assert.equal(result["stdout"], "begun\n");
	});
}
