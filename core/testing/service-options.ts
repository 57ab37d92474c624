import { type Options, type OptionsInput, optionSections } from "../contract/index.ts";

/** Returns the default options with changes to individual sections, for tests that replace the host. Values are not validated. */
export function createOptions(changes: OptionsInput = {}): Options {
	const sections = Object.entries(optionSections).map(([section, definitions]) => {
		const defaults = Object.entries(definitions).map(([name, definition]) => [name, definition.default]);
		return [section, { ...Object.fromEntries(defaults), ...changes[section as keyof Options] }];
	});
	// The cast is safe, because the type of each option is derived from the definition that contains its default.
	return Object.fromEntries(sections) as Options;
}
