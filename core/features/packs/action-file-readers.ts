import { SvcError } from "../../contract/index.ts";
import { checkParameterDefinitions } from "../../language/parameters/check-definitions.ts";
import { didYouMean } from "../../lib/did-you-mean.ts";
import { resolveEntryPoint } from "./entry-point-exports.ts";
import type { FileReader, ReadRunnerType } from "./file-reader-exports.ts";
import { toAction } from "./reading/action-metadata.ts";

/** Substitute for an unknown runner type; it accepts all parameters. */
const anyRunnerType = "any_runner_type";
const anything: ReadRunnerType = { parameters: {}, entryPoint: "optional" };

export const actionFileReaders: readonly FileReader[] = [
	{
		kind: "action",
		folder: "actions",
		others: {
			"config.yaml":
				"is a configuration file of old packs and is ignored; use config.schema.yaml and the pack configuration of the service",
		},
		standIns: { name: "any_name", runner_type: anyRunnerType },
		async read(metadata, place) {
			const action = toAction(metadata, place);
			const { runner_type, entry_point } = action;
			const runnerType = runner_type === anyRunnerType ? anything : place.runnerTypes.get(runner_type);
			if (runnerType === undefined) {
				const names = [...place.runnerTypes.keys()];
				throw new SvcError("SVC_INVALID", `attribute "runner_type" must be one of ${names.join(", ")}${didYouMean(runner_type, names)}`);
			}
			if (entry_point !== "") await resolveEntryPoint(place.directory, entry_point);
			checkEntryPoint(entry_point, runner_type, runnerType);
			checkParameterDefinitions(action.parameters, runnerType.parameters);
		},
	},
];

function checkEntryPoint(entryPoint: string, name: string, { entryPoint: wanted }: ReadRunnerType): void {
	if (wanted === "required" && entryPoint === "")
		throw new SvcError(
			"SVC_INVALID",
			`attribute "entry_point" is missing; runner "${name}" needs the path of a file below the actions directory of the pack`,
		);
	if (wanted === "forbidden" && entryPoint !== "")
		throw new SvcError("SVC_INVALID", `attribute "entry_point" is not allowed: runner "${name}" uses no file`);
}
