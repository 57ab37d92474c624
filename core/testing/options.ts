import { type Options, type OptionsInput, optionSections } from "../contract/index.ts";

/** Default options, with changes a section at a time: for tests that stand in for the host. Values are not checked. */
export function createOptions(changes: OptionsInput = {}): Options {
	const sections = Object.entries(optionSections).map(([section, definitions]) => {
		const defaults = Object.entries(definitions).map(([name, definition]) => [name, definition.default]);
		return [section, { ...Object.fromEntries(defaults), ...changes[section as keyof Options] }];
	});
	// Each default belongs to the definition that its type is derived from.
	return Object.fromEntries(sections) as Options;
}
