import type { Principal } from "./principal.ts";

/** Who somebody is, in whose name something runs that no request has asked for just now. */
export interface Authority {
	/** With the permissions of this moment. */
	principalOf(username: string): Promise<Principal>;
	/** Whether this user may do everything. */
	isAdministrator(username: string): Promise<boolean>;
	/** `SVC_FORBIDDEN` where somebody may not run this action. Asked for what no request asks for, as that was looked at where it came in. */
	assertMayRun(principal: Principal, actionRef: string): void;
}

/** Where nobody tells users apart, nobody may do less than others. */
export const noAuthority: Authority = {
	principalOf: async (username) => ({ username, isAdmin: true, authentication: { method: "none" } }),
	isAdministrator: async () => true,
	assertMayRun() {},
};
