import type { Options, OptionsInput } from "../contract/index.ts";
import type { FeaturePlugin } from "../features/feature-plugin.ts";
import { collectOptionSections } from "../service/config/sections.ts";

/**
 * Returns the default options with changes to individual sections, for tests that replace the host. Values are not validated.
 *
 * @param features features whose option sections are included
 */
export function createOptions(changes: OptionsInput = {}, features: readonly FeaturePlugin[] = []): Options {
	const sections = Object.entries(collectOptionSections({ features }).sections).map(([section, definitions]) => {
		const defaults = Object.entries(definitions).map(([name, definition]) => [name, definition.default]);
		return [section, { ...Object.fromEntries(defaults), ...changes[section as keyof Options] }];
	});
	// The cast is safe, because the type of each option is derived from the definition that contains its default.
	return Object.fromEntries(sections) as Options;
}
