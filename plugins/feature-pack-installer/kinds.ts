import { type FollowedPackEntity, followedPackKind } from "./entities.ts";

declare module "../../core/feature.ts" {
	interface EntityMap {
		followed_pack: FollowedPackEntity;
	}
}

export const kinds = { followed_pack: followedPackKind };
