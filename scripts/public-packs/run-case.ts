import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual, promisify } from "node:util";
import type { ServiceUnderTest, WireRecord } from "../../core/testing/http/service.test-support.ts";
import { commandCases, configurations, type OfflineCase } from "./cases.ts";

const run = promisify(execFile);
const harness = fileURLToPath(new URL("./native.py", import.meta.url));

export interface CaseContext {
	readonly service: ServiceUnderTest;
	/** Directory of the packs. */
	readonly packs: string;
	/** Interpreter with the packages that packs need. */
	readonly python: string;
	/** Directory for files of the cases: one for the service, one for native runs. */
	readonly files: (side: "service" | "native") => string;
}

export interface CaseOutcome {
	readonly action: string;
	readonly verdict: "same" | "differs" | "left out";
	/** In short. */
	readonly shown: string;
}

/** Run a case in the service and natively, and compare. */
export async function runCase(given: OfflineCase, context: CaseContext): Promise<CaseOutcome> {
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
		shown: (same ? [own] : [own, native]).map((value) => JSON.stringify(value).slice(0, 120)).join(" | "),
	};
}

/** What the action returned, or the name of what it raised. */
async function inService({ action, parameters }: OfflineCase, { service, files }: CaseContext): Promise<unknown> {
	const body = JSON.stringify({ action, parameters: fill(parameters, files("service")) });
	const answer = await service.ask("/v1/executions", { method: "POST", body });
	const created = (await answer.json()) as WireRecord;
	if (answer.status !== 201) return { refused: created["faultstring"] };
	await service.ended(String(created["id"]));
	const execution = (await (await service.ask(`/v1/executions/${created["id"]}`)).json()) as WireRecord;
	const result = execution["result"] as Record<string, unknown>;
	if (!Object.hasOwn(result, "exit_code") && !Object.hasOwn(result, "stdout")) return result;
	if (!Object.hasOwn(result, "result")) return result["stdout"];
	if (result["exit_code"] !== 0)
		return { raised: /^(?:\w+\.)*(\w+)(?::|$)/m.exec(String(result["stderr"]).trim().split("\n").at(-1) ?? "")?.[1] };
	return { returned: result["result"], succeeded: execution["status"] === "succeeded" };
}

async function natively({ action, parameters }: OfflineCase, record: WireRecord, { packs, python, files }: CaseContext): Promise<unknown> {
	const command = commandCases.find((one) => one.action === action)?.command;
	if (command !== undefined) return (await run("sh", ["-c", command.replaceAll("{files}", files("native"))])).stdout;
	const entryPoint = join(packs, String(record["pack"]), "actions", String(record["entry_point"]));
	const config = configurations[String(record["pack"])] ?? {};
	const args = [harness, entryPoint, JSON.stringify(fill(parameters, files("native"))), JSON.stringify(config)];
	const { stdout } = await run(python, args, { cwd: join(packs, String(record["pack"])) });
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

function withoutPlaces(value: unknown, { files }: CaseContext): unknown {
	return JSON.parse(JSON.stringify(value).replaceAll(files("service"), "").replaceAll(files("native"), ""));
}
