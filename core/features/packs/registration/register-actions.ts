import { join } from "node:path";
import { type ActionEntity, isSvcError, type PackEntity, SvcError, stringifyJson, toErrorMessage } from "../../../contract/index.ts";
import type { Uses } from "../../../kernel/basics/engine-parts.ts";
import { createId } from "../../../kernel/basics/ids.ts";
import { insertIfAbsent } from "../../../kernel/basics/insert-if-absent.ts";
import type { ExtensionPoints } from "../../../kernel/extension-points.ts";
import { findDefaultProblems } from "../../../language/parameters/check-defaults.ts";
import { checkParameterDefinitions } from "../../../language/parameters/check-definitions.ts";
import { EventLoopYield } from "../../../lib/event-loop.ts";
import type { PackOverrides } from "./overrides.ts";
import type { RegistrationReport } from "./registration-report.ts";

interface RegisterActionsDependencies extends Uses<"storage" | "clock" | "logger"> {
	readonly report: RegistrationReport;
	readonly overrides: PackOverrides;
	/** Directory of the pack; undefined for a pack without files. */
	readonly directory: string | undefined;
	readonly extensions: Pick<ExtensionPoints, "isBuiltInRunner">;
}

/** Updates the stored actions of a pack to match its files. Returns how many actions can be used. */
export async function registerActions(
	parts: RegisterActionsDependencies,
	pack: Omit<PackEntity, "id">,
	actions: readonly Omit<ActionEntity, "id">[],
): Promise<number> {
	const { storage, report } = parts;
	const stored = new Map((await storage.find("action", { where: { pack: pack.ref } })).map((action) => [action.ref, action]));
	const runnerTypes = new Map((await storage.find("runner_type", {})).map((type) => [type.name, type]));
	const breath = new EventLoopYield();
	let count = 0;
	for (const action of actions) {
		const runnerType = runnerTypes.get(action.runner_type);
		try {
			if (runnerType === undefined) {
				skipForRunnerType(parts, action);
				continue;
			}
			if (parts.directory !== undefined && parts.extensions.isBuiltInRunner(action.runner_type))
				throw new SvcError("SVC_INVALID", `attribute "runner_type": "${action.runner_type}" runs only actions of built-in packs`);
			checkParameterDefinitions(action.parameters, runnerType.runner_parameters);
			const file = join(parts.directory ?? "", action.metadata_file ?? action.ref);
			for (const message of findDefaultProblems(action.parameters, runnerType.runner_parameters)) report.note({ file, message });
			const enabled = await parts.overrides.enabled("action", pack.ref, action.name);
			if (enabled !== undefined) report.overrode("action");
			const said = { ...action, content: pack.content, enabled: enabled ?? action.enabled };
			await registerAction(parts, stored.get(action.ref), said);
			report.registered("action", action.ref, action.metadata_file ?? "");
			count += 1;
		} catch (error) {
			if (isSvcError(error, "SVC_UNAVAILABLE")) throw error;
			report.skip({ file: join(parts.directory ?? "", action.metadata_file ?? action.ref), message: toErrorMessage(error) });
		}
		await breath.yieldIfDue();
	}
	return count;
}

/** Skips an action whose runner type is not configured. Reports it as a problem, except in built-in packs, which use all runner types. */
function skipForRunnerType(
	{ directory, report, logger }: RegisterActionsDependencies,
	{ ref, runner_type, metadata_file }: Omit<ActionEntity, "id">,
): void {
	if (directory === undefined) logger.debug("action was skipped: its runner type is not configured", { action: ref, runner_type });
	else {
		const message = `attribute "runner_type": runner type "${runner_type}" is not configured`;
		report.skipHere({ file: join(directory, metadata_file ?? ref), message });
	}
}

async function registerAction(
	{ storage, clock }: RegisterActionsDependencies,
	known: ActionEntity | undefined,
	action: Omit<ActionEntity, "id">,
): Promise<void> {
	if (known === undefined) return insertIfAbsent(() => storage.insert("action", [{ id: createId(clock), ...action }]));
	const { id, ...fields } = known;
	if (stringifyJson(fields) !== stringifyJson({ ...fields, ...action })) await storage.update("action", id, action);
}
