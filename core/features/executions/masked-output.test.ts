import * as assert from "node:assert/strict";
import { test } from "uvu";
import { defineRunner, type RunContext } from "../../contract/index.ts";
import { type ServiceUnderTest, type WireRecord, withService } from "../../testing/http/service.test-support.ts";
import { create } from "../../testing/http/whole-service.test-support.ts";

const pin = "correct-horse-tango";

/** Prints what its parameter says, in pieces; `{token}` and `{pin}` stand for the values. */
const printer = defineRunner("printer", () => ({
	description: "Prints.",
	capabilities: { streaming: true },
	parameters: { pieces: { type: "array", default: [] }, pin: { type: "string", secret: true } },
	async run({ runnerParameters: { pieces, pin: secret }, environment, emit, captured, announce }: RunContext) {
		const fill = (text: unknown) =>
			String(text)
				.replaceAll("{token}", environment["SVC_ACTION_AUTH_TOKEN"] ?? "")
				.replaceAll("{pin}", String(secret));
		const [how, ...rest] = pieces as readonly unknown[];
		const texts = how === "letters" ? [...fill(rest[0])] : rest.map(fill);
		for (const text of texts) await emit("stdout", text);
		await emit("stderr", fill("{pin}"));
		announce("printed", { text: fill("{pin} {token}") });
		return { succeeded: true, result: { stdout: captured("stdout").text, token: environment["SVC_ACTION_AUTH_TOKEN"] ?? "" } };
	},
}));

type Printed = ServiceUnderTest & {
	/** Prints and waits for the end; the id, and what the run's token was. */
	print(how: string, ...pieces: readonly string[]): Promise<string>;
	/** Everything that is shown of an execution's output. */
	exits(id: string, query?: string): Promise<string>;
};

async function withPrinter(run: (service: Printed) => Promise<void>, mask_secrets = true, resultOutput = 1_048_576): Promise<void> {
	await withService(
		async (service) => {
			const { ask } = service;
			await ask("/v1/actions", { method: "POST", body: JSON.stringify({ name: "printer", runner_type: "printer" }) });
			await run({
				...service,
				async print(...pieces) {
					const id = await create(service, { action: "default.printer", parameters: { pieces, pin } });
					await service.ended(id);
					return id;
				},
				async exits(id, query = "") {
					const paths = [`/v1/executions/${id}/output${query}`, `/stream/v1/executions/${id}/output${query}`];
					return (await Promise.all(paths.map(async (path) => (await ask(path)).text()))).join("\n");
				},
			});
		},
		{ runners: [printer()], api: { mask_secrets }, actionrunner: { max_result_output: resultOutput } },
	);
}

const token = /[0-9a-f]{32}/;

test("lines of an output are chosen by their numbers and by what they show, which tells nothing of secrets", () =>
	withPrinter(async ({ ask, print }) => {
		const id = await print("words", "one\n", "two {pin}\nthree\n", "four");
		const read = async (query: string) => (await ask(`/v1/executions/${id}/output?output_type=stdout&${query}`)).text();
		assert.equal(await read("from_line=2&lines=2"), "two ********\nthree\n");
		assert.equal(await read("find=o&from_line=2"), "2:two ********\n4:four\n");
		assert.equal(await read(`find=${pin.slice(0, 7)}`), "");
		assert.equal(await read("from_line=9"), "");
		for (const query of ["from_line=0", "from_line=x", "lines=0", "find=a%0Ab", `find=${"a".repeat(1_001)}`]) {
			const answer = await ask(`/v1/executions/${id}/output?${query}`);
			assert.equal(answer.status, 400, query);
			assert.ok((await answer.text()).includes(query.split("=")[0] as string));
		}
	}));

test("secrets of a run are masked in its output, wherever it was cut", () =>
	withPrinter(async ({ print, exits }) => {
		for (const pieces of [
			// A last letter with which a token may begin would be held back, until behind what is printed to the other channel.
			["whole", "before {pin} after {token} end\n"],
			["letters", "before {pin} after {token} end\n"],
			["whole", "before ", "correct-", "horse-tango after {token}", " end\n"],
		]) {
			const id = await print(...(pieces as [string]));
			const shown = await exits(id);
			for (const part of ["horse", "tango"]) assert.ok(!shown.includes(part), shown);
			assert.ok(!token.test(shown.replaceAll(/"(id|execution_id)": ?"[^"]*"/g, "")), shown);
			assert.match(shown.split("\n")[0] ?? "", /^before (\*{8})+ after (\*{8})+ end/);
		}
	}));

test("a secret in a long output is masked where the service cuts it into chunks", () =>
	withPrinter(async ({ print, exits }) => {
		const shown = await exits(await print("whole", `${"x".repeat(65_530)}{pin}${"y".repeat(65_530)}{token}${"z".repeat(70_000)}`));
		for (const part of ["correct", "horse", "tango"]) assert.ok(!shown.includes(part), part);
		assert.match(shown, /x\*+y+\*+z/);
	}));

test("the token of a run is kept nowhere, so that nobody is shown it", () =>
	withPrinter(async ({ print, exits, ask, urls, token: own }) => {
		const controller = new AbortController();
		const stream = await fetch(`${urls.stream}/v1/stream?events=*&x-auth-token=${own}`, { signal: controller.signal });
		const id = await print("whole", "<{token}> {pin}");
		const shown = await exits(id, "?show_secrets=true");
		assert.match(shown, /<\*+> correct-horse-tango/);
		const record = (await (await ask(`/v1/executions/${id}?show_secrets=true`)).json()) as WireRecord;
		assert.deepEqual(record["result"], { stdout: `<********> ${pin}`, token: "********" });
		let events = "";
		for await (const bytes of stream.body as ReadableStream<Uint8Array>) {
			events += Buffer.from(bytes).toString();
			if (events.includes('"succeeded"')) break;
		}
		controller.abort();
		assert.match(events, /announcement__printed\ndata: \{"payload":\{"text":"\*{8} \*{8}"\}/);
		assert.match(events, /"data":"<\*{8}> \*{8}"/);
	}));

test("with masking switched off the output is shown as it is, but for the token", () =>
	withPrinter(async ({ print, exits }) => {
		const shown = await exits(await print("whole", "<{token}> {pin}"));
		assert.match(shown, /<\*+> correct-horse-tango/);
	}, false));

test("what is kept of the output in the result is not cut within a secret", () =>
	withPrinter(
		async ({ print, ask }) => {
			const id = await print("letters", "12345678{pin} and more");
			const record = (await (await ask(`/v1/executions/${id}?show_secrets=true`)).json()) as WireRecord;
			assert.equal((record["result"] as WireRecord)["stdout"], "12345678");
		},
		true,
		20,
	));

test.run();
