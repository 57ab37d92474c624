import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual, promisify } from "node:util";
import type { WireRecord } from "../../core/testing/http/service.test-support.ts";
import { commandCases, configurations, type OfflineCase } from "./cases.ts";
import type { PackBench } from "./pack-bench.ts";

const run = promisify(execFile);
const harness = fileURLToPath(new URL("./native.py", import.meta.url));

export interface CaseOutcome {
	readonly action: string;
	readonly verdict: "same" | "differs" | "left out";
	/** In short. */
	readonly shown: string;
}

/** Run a case in the service and natively, and compare. */
export async function runCase(given: OfflineCase, context: PackBench): Promise<CaseOutcome> {
	const { action } = given;
	const answer = await context.service.ask(`/v1/actions/${action}`);
	if (!answer.ok) return { action, verdict: "left out", shown: "is not registered" };
	const record = (await answer.json()) as WireRecord;
	const own = await inService(given, context);
	const native = await natively(given, record, context);
	const same = isDeepStrictEqual(withoutPlaces(own, context), withoutPlaces(native, context));
	return {
		action,
		verdict: same ? "same" : "differs",
		shown: (same ? [own] : [own, native]).map((value) => (JSON.stringify(value) ?? "nothing").slice(0, 120)).join(" | "),
	};
}

/** What the action returned, or the name of what it raised. */
async function inService({ action, parameters }: OfflineCase, bench: PackBench): Promise<unknown> {
	const execution = await bench.execute(action, fill(parameters, bench.files("service")));
	if (execution["status"] === undefined) return { refused: execution["faultstring"] };
	const result = execution["result"] as Record<string, unknown>;
	if (!Object.hasOwn(result, "exit_code") && !Object.hasOwn(result, "stdout")) return result;
	if (!Object.hasOwn(result, "result")) return result["stdout"];
	if (result["exit_code"] !== 0) {
		const raised = /^(?:\w+\.)*(\w+)(?::|$)/m.exec(String(result["stderr"]).trim().split("\n").at(-1) ?? "")?.[1];
		// The one of a missing key of the configuration is a KeyError that says more.
		return { raised: raised === "ConfigKeyError" ? "KeyError" : raised };
	}
	return { returned: result["result"], succeeded: execution["status"] === "succeeded" };
}

async function natively({ action, parameters }: OfflineCase, record: WireRecord, bench: PackBench): Promise<unknown> {
	const files = (side: "native") => bench.files(side);
	const command = commandCases.find((one) => one.action === action)?.command;
	if (command !== undefined) return (await run("sh", ["-c", command.replaceAll("{files}", files("native"))])).stdout;
	const pack = bench.pack(String(record["pack"]));
	if (pack === undefined) return undefined;
	const entryPoint = join(pack.directory, "actions", String(record["entry_point"]));
	const config = configurations[String(record["pack"])] ?? {};
	const args = [harness, entryPoint, JSON.stringify(fill(parameters, files("native"))), JSON.stringify(config)];
	const { stdout } = await run(bench.python, args, { cwd: pack.directory, env: { ...process.env, PYTHONPATH: pack.packages } });
	const outcome = JSON.parse(stdout.split("\n").at(-1) ?? "") as { readonly returned?: unknown; readonly raised?: string };
	if (outcome.raised !== undefined) return outcome;
	const { returned } = outcome;
	// A pair of a flag and a value says how it went, as the runner reads it.
	if (Array.isArray(returned) && returned.length === 2 && typeof returned[0] === "boolean")
		return { returned: returned[1], succeeded: returned[0] };
	return { returned, succeeded: true };
}

function fill(parameters: object, directory: string): unknown {
	return JSON.parse(JSON.stringify(parameters).replaceAll("{files}", directory));
}

function withoutPlaces(value: unknown, bench: PackBench): unknown {
	return JSON.parse((JSON.stringify(value) ?? "null").replaceAll(bench.files("service"), "").replaceAll(bench.files("native"), ""));
}
