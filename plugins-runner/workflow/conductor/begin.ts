import { isJsonObject, type JsonObject, type JsonValue } from "../../../core/contract/index.ts";
import type { WorkflowEvent } from "../steps.ts";
import { mergeDeep } from "./merge-deep.ts";
import { RenderingError } from "./renderer.ts";
import type { Run } from "./run.ts";
import { Variables } from "./variables.ts";

export type BeginEvent = Extract<WorkflowEvent, { readonly type: "begin" }>;

/** Takes in what the workflow is given, evaluates its variables and stages its first tasks. Records nothing before all is evaluated. */
export async function begin(run: Run, { parameters, system }: BeginEvent): Promise<void> {
	const { definition, renderer } = run;
	const overlay = new Map<string, JsonValue>(Object.entries(system));
	const values = new Map<string, JsonValue>();
	const view = { variables: Variables.none, overlay };
	const errors: JsonObject[] = [];
	const guard = async (render: () => Promise<void>) => {
		try {
			await render();
		} catch (error) {
			if (!(error instanceof RenderingError)) throw error;
			errors.push({ message: error.message, data: error.data });
		}
	};
	const take = async (name: string, toValue: () => Promise<JsonValue>) =>
		guard(async () => {
			const value = await toValue();
			values.set(name, merge(values.get(name), value));
			overlay.set(name, merge(overlay.get(name), value));
		});
	for (const input of definition.input) {
		const given = Object.hasOwn(parameters, input.name) ? parameters[input.name] : undefined;
		// What is given comes from outside, and is taken as it is.
		await take(input.name, async () => given ?? (await renderer.render(input.default ?? null, view, input)));
	}
	for (const assignment of definition.vars) await take(assignment.name, () => renderer.render(assignment.value, view, assignment));
	let deadline: number | undefined;
	if (definition.timeout !== null) {
		const { timeout } = definition;
		await guard(async () => {
			deadline = Math.round(run.now + (await renderer.seconds(timeout, "timeout", view)) * 1e6);
		});
	}
	run.record({
		fact: "begin",
		definition: definition.text,
		system: run.hold(system),
		variables: run.hold(Object.fromEntries(values)),
		starts: errors.length > 0 ? [] : definition.graph.starts,
		...(deadline !== undefined && { deadline }),
	});
	for (const error of errors) run.recordError(error);
	if (errors.length > 0) run.fail();
}

function merge(before: JsonValue | undefined, value: JsonValue): JsonValue {
	return before === undefined || !isJsonObject(before) ? value : mergeDeep(before, value);
}
