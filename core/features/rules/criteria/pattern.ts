import type { JsonObject, JsonValue } from "../../../contract/index.ts";
import { type Datastore, DatastoreReference, emptyDatastore, isDatastoreName } from "../../../language/templates/datastore.ts";
import { isRenderProblem, TemplateError } from "../../../language/templates/errors.ts";
import type { TemplateScope } from "../../../language/templates/scope.ts";
import { compileTemplate, isTemplate, type Template } from "../../../language/templates/template.ts";

/** Values that a pattern may use, and the time of the evaluation. */
export interface Evaluation {
	/** Variables that templates in the pattern may use: `trigger` (the payload), or only `item` within `search`. */
	readonly values: JsonObject;
	readonly datastore: Datastore;
	/** Time of the evaluation in microseconds since 1970. */
	readonly now: number;
}

export interface CompiledPattern {
	/** True if the pattern may need items of the datastore. */
	readonly usesDatastore: boolean;
	/** Returns the pattern rendered for one evaluation. */
	render(evaluation: Evaluation): JsonValue;
}

/** Compiles a pattern. Strings may contain templates; a template that is a single expression keeps the type of its value. */
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
	// Any other name may be an alias of the datastore: the aliases are known only at evaluation.
	const usesDatastore = template.references.names.some((name) => name !== "trigger" && name !== "item");
	return {
		usesDatastore,
		render: ({ values, datastore }) => template.renderNative(toPatternScope(values, usesDatastore ? datastore : emptyDatastore)),
	};
}

/**
 * Returns the scope of a pattern. Of the datastore, it contains only system items: as `svckv.system.<name>`, and in the old form
 * `system.<name>`.
 */
function toPatternScope(values: JsonObject, datastore: Datastore): TemplateScope {
	const svckv = new DatastoreReference(datastore, ["system"]);
	const lookup = (name: string) => {
		if (Object.hasOwn(values, name)) return values[name];
		if (isDatastoreName(name, datastore)) return svckv;
		return name === "system" ? svckv.member("system") : undefined;
	};
	return { datastore, lookup };
}
