import type { FeaturePlugin } from "../../core/feature.ts";
import { aliases } from "../feature-aliases/index.ts";
import { audit } from "../feature-audit/index.ts";
import { packInstaller } from "../feature-pack-installer/index.ts";
import { webUi } from "../feature-web-ui/index.ts";
import { workers } from "../feature-workers/index.ts";

/** Returns all features that this package offers for `features` of a configuration. */
export const shippedFeatures = (): readonly FeaturePlugin[] => [webUi(), audit(), aliases(), workers(), packInstaller()];
