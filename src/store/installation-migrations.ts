/** The schema versions of installed packages and of what agents asked for, see `migrations.ts`. A released script never changes. */
export const installationSteps: readonly string[] = [
  `-- Installed packages. Their files are in the content store.
   create table generation (
     package text not null,
     number integer not null,
     version text not null,
     source text not null,
     locked text not null,
     tree text not null,
     manifest text not null,
     digest text not null,
     plan text not null,
     lock text not null,
     grants text not null,
     environments text not null,
     images text not null,
     agreement text not null,
     smoke text not null,
     created_at integer not null,
     created_by text not null,
     primary key (package, number)
   ) strict;
   create table installation (
     package text primary key,
     current integer not null,
     state text not null,
     root text,
     installed_at integer not null,
     foreign key (package, current) references generation (package, number)
   ) strict;
   -- What an unfinished change has made, so that it can be undone after a crash.
   create table change_journal (
     id text primary key,
     package text not null,
     operation text not null,
     made text not null,
     at integer not null
   ) strict;`,
  `-- Whether a generation that replaced another one starts. A package may be served to several workspaces.
   alter table generation add column trial text;
   update installation set root = json_array(root) where root is not null;`,
  `-- Packages that agents asked for. The source and the reason are text of the agent.
   create table requested_installation (
     id text primary key,
     source text not null,
     reason text not null,
     principal text not null,
     client text not null,
     root text not null,
     created_at integer not null,
     expires_at integer not null,
     state text not null,
     decided_at integer,
     decided_by text,
     note text,
     package text,
     plan text
   ) strict;
   create index requested_installation_source on requested_installation (principal, source);`,
  `-- What programs of packages did against their grants.
   create table violation (
     package text not null,
     kind text not null,
     detail text not null,
     count integer not null,
     first_at integer not null,
     last_at integer not null,
     primary key (package, kind, detail)
   ) strict;
   -- Packages that were revoked and not installed again, so that a caller learns why they are gone.
   create table revoked_package (
     package text primary key,
     at integer not null,
     by text not null
   ) strict;`,
  `-- What packages may use less than their manifests ask for, and which packages are watched to find it out.
   create table narrowing (
     package text primary key,
     network text,
     grants text not null,
     no_writing integer not null,
     at integer not null,
     by text not null
   ) strict;
   create table watched_package (
     package text primary key,
     since integer not null,
     until integer not null
   ) strict;`,
];
