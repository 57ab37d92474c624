import "./optional-features.ts";
import * as assert from "node:assert/strict";
import { test } from "uvu";
import { type OptionalFeature, optionalFeatures } from "../../core/service/config/left-out-features.ts";
import { shippedFeatures } from "./features.ts";

test("the features that a configuration may leave out are those of the package, with their options", () => {
	const toPairs = (features: readonly Pick<OptionalFeature, "name" | "options">[]) =>
		features.map(({ name, options = {} }) => [name, options] as const).sort(([a], [b]) => a.localeCompare(b));
	assert.deepEqual(toPairs(optionalFeatures()), toPairs(shippedFeatures()));
});

test.run();
