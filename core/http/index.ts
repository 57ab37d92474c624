export { createHttp, type Http, type HttpOptions } from "./http.ts";
export type { FetchOptions } from "./mount-api.ts";
export type { Permission } from "./permissions.ts";
export type { Component, Method, Route } from "./route.ts";
