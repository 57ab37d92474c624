import "./optional-features.ts";
import * as assert from "node:assert/strict";
import { test } from "uvu";
import { type ShippedFeature, shippedFeatures } from "../../core/service/config/left-out-features.ts";
import { shippedFeatures as createShippedFeatures } from "./features.ts";

test("the features that a configuration may leave out are those of the package, with their options", () => {
	const toPairs = (features: readonly Pick<ShippedFeature, "name" | "options">[]) =>
		features.map(({ name, options = {} }) => [name, options] as const).sort(([a], [b]) => a.localeCompare(b));
	assert.deepEqual(toPairs(shippedFeatures()), toPairs(createShippedFeatures()));
});

test.run();
