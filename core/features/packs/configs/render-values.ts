import { type JsonObject, type JsonValue, type ParameterDefinitions, SvcError, toErrorMessage } from "../../../contract/index.ts";
import { type DatastoreAccess, renderWithLookups } from "../../../language/templates/datastore.ts";
import { TemplateSyntaxError } from "../../../language/templates/errors.ts";
import { toScope } from "../../../language/templates/scope.ts";
import { compileTemplate, isTemplate, type Template } from "../../../language/templates/template.ts";
import { WorkBudget } from "../../../language/work-budget.ts";
import { type LocatedString, mapStrings } from "./map-strings.ts";

/**
 * Matches a string that is a single expression without a filter. It is rendered to null if a datastore item that it reads does not exist.
 */
const loneReference = /^\s*\{\{[^{}|]*\}\}\s*$/;

export interface RenderAccess {
	readonly plain: DatastoreAccess;
	/** Access that returns secret items decrypted; used for secret members only. */
	readonly clear: DatastoreAccess;
}

/**
 * Renders the templates in the values with `svckv`. Throws `SVC_INVALID`, which names the pack and the member.
 *
 * @param accessOf returns the datastore access for the template at a path
 */
export async function renderConfigValues(
	pack: string,
	{ values, schema }: { readonly values: JsonObject; readonly schema: ParameterDefinitions },
	accessOf: (path: string) => RenderAccess,
): Promise<JsonObject> {
	const rendered = new Map<string, JsonValue>();
	const rendering: Promise<void>[] = [];
	const work = new WorkBudget();
	mapStrings(values, schema, (place) => {
		const template = isTemplate(place.text) ? compile(place.text) : undefined;
		if (template !== undefined) {
			rendering.push(
				renderText(pack, { place, template, work }, accessOf(place.path)).then((value) => void rendered.set(place.path, value)),
			);
		}
		return place.text;
	});
	if (rendering.length === 0) return values;
	await Promise.all(rendering);
	return mapStrings(values, schema, ({ text, path }) => (rendered.has(path) ? (rendered.get(path) ?? null) : text));
}

async function renderText(
	pack: string,
	{ place, template, work }: { readonly place: LocatedString; readonly template: Template; readonly work: WorkBudget },
	{ plain, clear }: RenderAccess,
): Promise<JsonValue> {
	const source = place.isSecret ? clear : plain;
	let isMissing = false;
	const noting: DatastoreAccess = {
		names: source.names,
		async lookup(scope, name) {
			const value = await source.lookup(scope, name);
			isMissing ||= value === undefined;
			return value;
		},
		decrypt: source.decrypt,
	};
	try {
		const text = await renderWithLookups(noting, (datastore) => template.render(toScope({}, datastore)), work);
		return isMissing && loneReference.test(place.text) ? null : text;
	} catch (error) {
		// The string around the template is part of the secret, and error messages may quote it.
		const reason = place.isSecret ? "its template uses a name that does not exist or is not allowed" : toErrorMessage(error);
		throw new SvcError("SVC_INVALID", `configuration of pack "${pack}": "${place.path}" cannot be rendered: ${reason}`, { cause: error });
	}
}

function compile(text: string): Template | undefined {
	try {
		return compileTemplate(text);
	} catch (error) {
		// A string that is not a valid template is used literally.
		if (error instanceof TemplateSyntaxError) return undefined;
		throw error;
	}
}
