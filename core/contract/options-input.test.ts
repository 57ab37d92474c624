import * as assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "uvu";
import { type OptionDefinition, type Options, type OptionsInput, optionSections } from "./index.ts";

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** Every option of the definitions may be said, and nothing else. */
export const isComplete: Same<
	{ [S in keyof OptionsInput]-?: keyof NonNullable<OptionsInput[S]> },
	{ readonly [S in keyof Options]: keyof Options[S] }
> = true;

test("what an editor is given for an option holds its description", () => {
	const types = readFileSync(new URL("../../dist/core/contract/options-input.d.ts", import.meta.url), "utf8");
	const text = types.replaceAll(/\s*\*?\s+/g, " ");
	for (const [section, options] of Object.entries<Readonly<Record<string, OptionDefinition>>>(optionSections)) {
		for (const [name, { description }] of Object.entries(options)) {
			assert.ok(text.includes(`${description.replaceAll(/\s+/g, " ")} Default`), `${section}.${name}`);
		}
	}
});

test.run();
