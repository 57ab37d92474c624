import * as assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "uvu";
import "../../plugins/_shipped/optional-features.ts";
import { toVariableName } from "../service/config/environment.ts";
import { shippedFeatures } from "../service/config/left-out-features.ts";
import { type OptionSections, type Options, type OptionsInput, optionSections } from "./index.ts";

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** Every option of the definitions may be said, and nothing else. */
export const isComplete: Same<
	{ [S in keyof OptionsInput]-?: keyof NonNullable<OptionsInput[S]> },
	{ readonly [S in keyof Options]: keyof Options[S] }
> = true;

const described: readonly (readonly [types: string, sections: OptionSections])[] = [
	["core/contract/options-input.d.ts", optionSections],
	...shippedFeatures().map(({ module, options = {} }) => [`${module.replace("svc-automation/", "")}/options.d.ts`, options] as const),
];

for (const [path, sections] of described) {
	if (Object.keys(sections).length === 0) continue;
	test(`what an editor is given for an option by ${path} holds its description`, () => {
		const types = readFileSync(new URL(`../../dist/${path}`, import.meta.url), "utf8");
		const text = types.replaceAll(/\s*\*?\s+/g, " ");
		for (const [section, options] of Object.entries(sections)) {
			for (const [name, { description, default: value }] of Object.entries(options)) {
				const about = `${description} Default \`${JSON.stringify(value)}\`. \`${toVariableName(section, name)}\` takes precedence.`;
				assert.ok(text.includes(about.replaceAll(/\s+/g, " ")), `${section}.${name}`);
			}
		}
	});
}

test.run();
