import type { ActionEntity, ParameterDefinitions, RunnerTypeEntity } from "../../contract/index.ts";
import type { RecordVisibility } from "../../http/record-visibility.ts";
import { copyWithoutNull, type WireRecord } from "../../http/wire-record.ts";
import { maskParameterDefaults } from "../../secrets/parameter-default-masking.ts";

/** Returns an action for a response. `runnerParameters` mark further parameters as secret, in addition to the action's own. */
export function toAction(
	action: ActionEntity,
	runnerParameters: ParameterDefinitions,
	{ masked }: Pick<RecordVisibility, "masked">,
): WireRecord {
	return copyWithoutNull({
		id: action.id,
		uid: `action:${action.pack}:${action.name}`,
		ref: action.ref,
		pack: action.pack,
		name: action.name,
		description: action.description,
		runner_type: action.runner_type,
		entry_point: action.entry_point,
		enabled: action.enabled,
		tags: action.tags,
		notify: action.notify,
		output_schema: action.output_schema,
		metadata_file: action.metadata_file,
		parameters: masked && hasParameters(action) ? maskParameterDefaults(action.parameters, runnerParameters) : action.parameters,
	});
}

/** Returns true if an action was read with its parameters. Lists read only the fields that the response contains. */
export function hasParameters({ parameters }: Partial<ActionEntity>): boolean {
	return parameters !== undefined;
}

/**
 * Returns a runner type for a response.
 * Inside the record of an execution, `actionParameters` mark further parameters as secret, in addition to the runner's own.
 */
export function toRunnerType(
	runnerType: RunnerTypeEntity,
	{ masked }: Pick<RecordVisibility, "masked">,
	actionParameters: ParameterDefinitions = {},
): WireRecord {
	return copyWithoutNull({
		id: runnerType.id,
		uid: `runner_type:${runnerType.name}`,
		name: runnerType.name,
		description: runnerType.description,
		enabled: runnerType.enabled,
		runner_module: runnerType.runner_module,
		output_key: runnerType.output_key,
		runner_parameters: masked ? maskParameterDefaults(runnerType.runner_parameters, actionParameters) : runnerType.runner_parameters,
	});
}
