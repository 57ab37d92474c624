import type { FeaturePlugin } from "../../core/feature.ts";
import { aliases } from "../feature-aliases/index.ts";
import { audit } from "../feature-audit/index.ts";
import { packInstaller } from "../feature-pack-installer/index.ts";
import { webUi } from "../feature-web-ui/index.ts";
import { workers } from "../feature-workers/index.ts";

/** Returns all features of this package, as a configuration lists them. */
export const shippedFeatures = (): readonly FeaturePlugin[] => [webUi(), audit(), aliases(), workers(), packInstaller()];
