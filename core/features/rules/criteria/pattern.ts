import type { JsonObject, JsonValue } from "../../../contract/index.ts";
import { type Datastore, DatastoreReference, emptyDatastore, isDatastoreName } from "../../../language/templates/datastore.ts";
import { isRenderProblem, TemplateError } from "../../../language/templates/errors.ts";
import type { TemplateScope } from "../../../language/templates/scope.ts";
import { compileTemplate, isTemplate, type Template } from "../../../language/templates/template.ts";

/** What a pattern may use, and when it is. */
export interface Evaluation {
	/** `{ trigger: payload }`, inside `search` `{ item }`. */
	readonly values: JsonObject;
	readonly datastore: Datastore;
	/** Microseconds since 1970. */
	readonly now: number;
}

export interface CompiledPattern {
	/** Whether items of the datastore may have to be read. */
	readonly usesDatastore: boolean;
	/** The pattern as it counts for one evaluation. */
	render(evaluation: Evaluation): JsonValue;
}

/** Compile a pattern: texts may hold templates, and one that is a single expression keeps the type of its value. */
export function compilePattern(pattern: JsonValue): CompiledPattern {
	if (typeof pattern !== "string" || !isTemplate(pattern)) return { usesDatastore: false, render: () => pattern };
	const { usesDatastore, render } = compileText(pattern);
	return {
		usesDatastore,
		render(evaluation) {
			try {
				return render(evaluation);
			} catch (error) {
				if (!isRenderProblem(error)) throw error;
				throw new TemplateError(`rendering the pattern value failed: ${error.message}`);
			}
		},
	};
}

function compileText(text: string): CompiledPattern {
	let template: Template;
	try {
		template = compileTemplate(text);
	} catch (error) {
		const render = () => {
			throw error;
		};
		return { usesDatastore: false, render };
	}
	// What else there is stands in the values; what the datastore is called besides is known only with it.
	const usesDatastore = template.references.names.some((name) => name !== "trigger" && name !== "item");
	return {
		usesDatastore,
		render: ({ values, datastore }) => template.renderNative(toPatternScope(values, usesDatastore ? datastore : emptyDatastore)),
	};
}

/** Items of the system scope only, also in their old form without `svckv`. */
function toPatternScope(values: JsonObject, datastore: Datastore): TemplateScope {
	const svckv = new DatastoreReference(datastore, ["system"]);
	const lookup = (name: string) => {
		if (Object.hasOwn(values, name)) return values[name];
		if (isDatastoreName(name, datastore)) return svckv;
		return name === "system" ? svckv.member("system") : undefined;
	};
	return { datastore, lookup };
}
