/** Texts of the pages about roles and permissions. */

export const tabs = "Views of access";
export const ownTab = "Your permissions";
export const assignmentsTab = "Assignments";
export const refusal = "You have no permission to view access control.";

export const definedBy = "Defined by";
export const byService = "the service";
export const byConfiguration = "the configuration";
export const byGroup = (group: string) => `group ${group}`;
export const grants = "Grants";
export const resource = "Resource";
export const permission = "Permission";
export const permissions = "Permissions";

export const assignments = "Role assignments";
export const assignedBy = "Assigned by";
export const noAssignments = "No role assignments found";
export const noAssignmentsStep =
	"Change or clear the filters. Roles are assigned in `rbac.assignments` of the configuration, or by groups.";

export const signInMethod = "Sign-in method";
export const sessionExpires = "Session expires";
export const administrator = "Administrator";
export const everything = "everything";
export const accessControlIsOff = "Access control is off: every signed-in user may do everything.";
export const mayDoEverything = "You may do everything.";
export const noPermissions = "You have no permissions yet";
export const noPermissionsStep = "Ask an administrator of this service for a role.";

export const noRole = (name: string) => `role "${name}" does not exist`;
export const assignedTo = "Assigned to";
export const usersWithRole = "Users with this role";
export const noSingleRecord = "not bound to a record";
export const builtIn = "This role is built in. Its description says what it allows.";
export const noGrants = "This role grants no permissions";
export const noGrantsStep = "An administrator can grant permissions to it in `rbac.roles` of the configuration.";
